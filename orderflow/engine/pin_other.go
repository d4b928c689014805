//go:build !linux

package engine

// pinToProcessor does nothing where threads cannot be bound to processors.
func pinToProcessor(int) bool { return false }
