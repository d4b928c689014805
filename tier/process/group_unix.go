//go:build unix

package process

import "syscall"

// supported says whether programs can be started and ended here.
func supported() error { return nil }

// signalGroup signals a process group; one that is gone already is as good.
func signalGroup(leader int, s syscall.Signal) { syscall.Kill(-leader, s) }
