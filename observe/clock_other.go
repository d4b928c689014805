//go:build !linux

package observe

import "time"

func processClock(int) (time.Duration, bool) { return 0, false }

func isNoProcess(error) bool { return false }
