//go:build !linux

package arrival

import "context"

// Open returns the most exact sleeper of this machine, here [OpenTimer].
func Open(ctx context.Context) Sleeper { return OpenTimer(ctx) }
