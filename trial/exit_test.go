package trial

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/perfctl/perfctl/tier"
)

// TestWatchExit puts the end of a program before the error that it explains, also when the
// news of it comes later.
func TestWatchExit(t *testing.T) {
	refused := errors.New("connection refused")
	why := errors.New("the user had enough")
	const ended = "program shop (pid 7) ended with exit code 3\n    | out of memory"
	for _, c := range []struct {
		name   string
		after  time.Duration // of the exit; 0 is never
		cancel bool
		err    error
		want   string
		took   time.Duration
	}{
		{name: "nothing happened"},
		{name: "an error of its own", err: refused, want: "connection refused", took: exitNotice},
		{name: "the news comes later", after: 100 * time.Millisecond, err: refused, want: ended + "\nconnection refused", took: 100 * time.Millisecond},
		{name: "too late to be the cause", after: time.Second, err: refused, want: "connection refused", took: exitNotice},
		{name: "the user ended it", cancel: true, err: why, want: "the user had enough"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exited := make(chan tier.Exit, 1)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				alive, relieve := watchExit(ctx, tier.NewInstance(tier.Proof{}, exited, nil))
				if c.after > 0 {
					time.AfterFunc(c.after, func() {
						exited <- tier.Exit{Program: "shop", PID: 7, Code: 3, Log: []string{"out of memory"}}
					})
				}
				if c.cancel {
					cancel(why)
				}
				began := time.Now()
				got := ""
				if err := relieve(c.err); err != nil {
					got = err.Error()
				}
				if took := time.Since(began); got != c.want || took != c.took {
					t.Errorf("%q after %v, want %q after %v", got, took, c.want, c.took)
				}
				if alive.Err() == nil {
					t.Error("the context is not released")
				}
			})
		})
	}
}

// TestWatchExitDuring ends the context with the crash as its cause; it is not told twice.
func TestWatchExitDuring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exited := make(chan tier.Exit, 1)
		alive, relieve := watchExit(t.Context(), tier.NewInstance(tier.Proof{}, exited, nil))
		exited <- tier.Exit{Program: "shop", PID: 7, Signal: "killed"}
		<-alive.Done()
		cause := context.Cause(alive)
		want := "program shop (pid 7) was ended by a signal: killed\n    its log is empty"
		if err := relieve(cause); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}
