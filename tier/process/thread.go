package process

import "runtime"

// A thread is one operating system thread that does what it is given until it is ended.
type thread struct {
	work chan func()
	done chan struct{}
}

func newThread() *thread {
	t := &thread{make(chan func()), make(chan struct{})}
	go func() {
		defer close(t.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread() // by then nothing depends on it
		for f := range t.work {
			f()
		}
	}()
	return t
}

// do runs f on the thread and returns what it returned.
func (t *thread) do(f func() error) error {
	result := make(chan error)
	t.work <- func() { result <- f() }
	return <-result
}

// end ends the thread after what it does now.
func (t *thread) end() {
	close(t.work)
	<-t.done
}
