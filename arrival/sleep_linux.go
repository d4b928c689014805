package arrival

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Open returns the most exact sleeper of this machine. It locks the calling goroutine
// to its thread until Close, and falls back to [OpenTimer] when the kernel refuses.
//
// Go's own timers wait in epoll, which counts in milliseconds. This one waits in
// ppoll, whose timeout is in nanoseconds, on a thread whose timers the kernel may not
// round (timer slack), for an event descriptor that the context's end makes readable:
// so it is interrupted at once and never wakes up to look.
func Open(ctx context.Context) Sleeper {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return OpenTimer(ctx)
	}
	runtime.LockOSThread()
	s := &threadSleeper{ctx: ctx, fd: fd}
	// A refused slack costs 50 us of lateness, which is measured; it is no reason to stop.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	s.stop = context.AfterFunc(ctx, s.interrupt)
	return s
}

type threadSleeper struct {
	ctx  context.Context
	stop func() bool

	mu     sync.Mutex // orders interrupt and Close: a closed descriptor may be another's
	fd     int
	closed bool
}

func (s *threadSleeper) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	one := binary.NativeEndian.AppendUint64(nil, 1)
	_, _ = unix.Write(s.fd, one) // cannot fail: the counter is far from full
}

func (s *threadSleeper) SleepUntil(t time.Time) bool {
	for {
		if s.ctx.Err() != nil {
			return false
		}
		wait := time.Until(t)
		if wait <= 0 {
			return true
		}
		timeout := unix.NsecToTimespec(int64(wait))
		events := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}}
		// However it ends (time, interrupt, a signal), the loop looks at the facts again.
		_, err := unix.Ppoll(events, &timeout, nil)
		if err != nil && err != unix.EINTR {
			time.Sleep(min(wait, time.Millisecond)) // never spin on an error
		}
	}
}

// Close gives the thread back with its usual timer slack.
func (s *threadSleeper) Close() {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	unix.Close(s.fd)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
	runtime.UnlockOSThread()
}
