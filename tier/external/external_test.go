package external

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier/tiertest"
)

// running is a system that somebody else started; its engine is what a hook set last.
func running(t *testing.T, fault tiertest.Fault) (url string, engine *atomic.Value) {
	engine = new(atomic.Value)
	engine.Store("slow")
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(w http.ResponseWriter, r *http.Request) {
		if fault == tiertest.NeverReady {
			http.Error(w, "warming up", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/info", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"settings": {"engine": %q}}`, engine.Load())
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, engine
}

func shop(url string) *scenario.Scenario {
	return &scenario.Scenario{
		File:     "shop.yaml",
		Target:   scenario.Target{External: true},
		Services: []scenario.Service{{Name: "shop", URL: url, Health: "/health", Pos: scenario.Pos{Line: 3, Column: 9}}},
		Variants: tiertest.Variants(),
	}
}

func TestConformance(t *testing.T) {
	tiertest.Run(t, func(t *testing.T, fault tiertest.Fault) tiertest.Fixture {
		url, engine := running(t, fault)
		sc := shop(url)
		tier, err := New(sc, Options{Wait: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return tiertest.Fixture{
			System:   tier,
			Scenario: sc,
			Switch: func(v string) {
				if fault != tiertest.Deaf {
					engine.Store(v)
				}
			},
		}
	})
}

func TestNewTellsEveryProblem(t *testing.T) {
	sc := shop("http://127.0.0.1:auto")
	sc.Variants[1].Env = []scenario.EnvVar{{Name: "ENGINE"}}
	sc.Variants[1].Pos = scenario.Pos{Line: 12, Column: 5}
	_, err := New(sc, Options{})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"shop.yaml:3:9: service shop: port auto is for programs that perfctl starts",
		"shop.yaml:12:5: variant fast sets ENGINE, which perfctl cannot give",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if _, err := New(sc, Options{Variants: []string{"slow"}}); err == nil || strings.Contains(err.Error(), "ENGINE") {
		t.Errorf("error %v is about a variant that is not measured", err)
	}
}

func TestPreflightTellsEveryProblem(t *testing.T) {
	url, _ := running(t, tiertest.NeverReady)
	sc := shop(url)
	sc.Variants[1].RequireEnv = []string{"SHOP_LICENCE"}
	tier, err := New(sc, Options{Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	err = tier.Preflight(t.Context())
	if err == nil || !strings.Contains(err.Error(), "needs SHOP_LICENCE") || !strings.Contains(err.Error(), "answered 503 warming up") {
		t.Errorf("error %v, want both problems", err)
	}
}

func TestVariantWithoutProbes(t *testing.T) {
	url, _ := running(t, tiertest.None)
	sc := shop(url)
	sc.Variants[0].Verify = nil
	tier, err := New(sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := tier.Up(t.Context(), &sc.Variants[0], t.TempDir(), func(rundir.EventLine) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Notes()) != 1 || len(in.Asked()) != 0 || len(in.Observed()) != 1 || len(in.Processes()) != 0 {
		t.Errorf("notes %q, asked %v, observed %v, processes %v; want a note and the other variant's probe",
			in.Notes(), in.Asked(), in.Observed(), in.Processes())
	}
}
