//go:build !unix

package process

import (
	"fmt"
	"runtime"
	"syscall"
)

// supported says whether programs can be started and ended here.
func supported() error {
	return fmt.Errorf("perfctl cannot start and end programs on %s: start them yourself and write target: { external: true }", runtime.GOOS)
}

func attributes() *syscall.SysProcAttr { return nil }

func signalGroup(int, syscall.Signal) {}
