package process

import "syscall"

// attributes make a program lead a session of its own, so that Ctrl-C reaches perfctl
// only, and die with perfctl. The kernel binds that to the thread that starts it, which
// is why a run has a thread.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
