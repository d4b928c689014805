package load

import (
	"testing"
	"time"
)

// The clock may be read just before the second it names is handed over.
func TestLevelOfASecondThatIsHandedOver(t *testing.T) {
	l := &ledger{names: newNames([]string{"op"}, nil)}
	l.level(4500*time.Millisecond, 1, 0)
	for {
		if _, _, ok := l.takeOver(5); !ok {
			break
		}
	}
	if l.base != 5 || len(l.seconds) != 0 {
		t.Fatalf("base %d with %d seconds open, want 5 with none", l.base, len(l.seconds))
	}
	l.level(4999*time.Millisecond, 1, 0)
	if got := l.at(5).inFlight; got != 2 {
		t.Errorf("second 5 has %d in flight, want 2", got)
	}
}
