package trial

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"
)

// A program that is started has the kernel's own slice: the system under test is as it
// would be without perfctl.
func TestShortSlicesAreThisProcessOnly(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	undo := promptly()
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Runtime != slice {
		undo()
		t.Skipf("this kernel grants no short slices (%v, %+v)", err, attr)
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestMain$", "-test.list", "^$")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	got, err := unix.SchedGetAttr(child.Process.Pid, 0)
	if err == nil && got.Runtime == slice {
		t.Errorf("a child has the slice %d ns too", got.Runtime)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	undo()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the collector's target is %d after undo, want 100", got)
	}
}
