package trial

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/perfctl/perfctl/tier"
)

// exitNotice is how long the news of a program's end may take after its connections broke.
const exitNotice = 250 * time.Millisecond

// A crash is a program of the system that ended by itself.
type crash struct{ tier.Exit }

func (c *crash) Error() string { return c.String() }

// watchExit watches the programs of an instance. The context it returns ends, with the
// crash as its cause, when one of them ends by itself. Relieve ends the watch and puts the
// crash before an error that it explains.
func watchExit(ctx context.Context, instance *tier.Instance) (alive context.Context, relieve func(error) error) {
	alive, stop := context.WithCancelCause(ctx)
	quit := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case e, open := <-instance.Exited():
			if open {
				stop(&crash{e})
			}
		case <-quit:
		}
	})
	return alive, func(err error) error {
		if err != nil && alive.Err() == nil {
			select {
			case <-alive.Done():
			case <-time.After(exitNotice):
			}
		}
		close(quit)
		watch.Wait()
		cause := context.Cause(alive)
		stop(nil)
		if _, crashed := errors.AsType[*crash](cause); crashed && !errors.Is(err, cause) {
			return errors.Join(cause, err)
		}
		return err
	}
}
