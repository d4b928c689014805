//go:build !unix

package observe

import "time"

func ownCPU() (time.Duration, bool) { return 0, false }

func kernel() string { return "" }
