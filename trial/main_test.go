package trial

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/perfctl/perfctl/orderflow"
	"github.com/perfctl/perfctl/scenario"
)

// TestMain lets the test binary be the program under test: TEST orderflow serve.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"orderflow", "serve"}) {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serve() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := orderflow.ConfigFromEnv(os.Environ())
	if err != nil {
		return err
	}
	s, err := orderflow.Start(ctx, config)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "orderflow is open")
	<-ctx.Done()
	return s.Shutdown(context.Background())
}

func parse(t *testing.T, src string) *scenario.Scenario {
	t.Helper()
	sc, problems := scenario.Parse("trial.yaml", []byte(src), func(string) (string, bool) { return "", false })
	if problems.Failed() {
		t.Fatal(problems)
	}
	return sc
}

// A clock stamps without asking the machine.
func clock() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC) }

// startedPID reads the pid of a start event: "pid 12: program ...".
func startedPID(t *testing.T, text string) (pid int) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "pid %d:", &pid); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return pid
}

func killProcess(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Error(err)
	}
}
