package orderflow

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
	"github.com/perfctl/perfctl/orderflow/view"
)

func TestTheDefaultConfigIsValid(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(DefaultConfig(), Config{}.withDefaults()); diff != "" {
		t.Error(diff)
	}
}

func TestAllProblemsAreNamedAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config Config
		want   []string
	}{
		{"words", Config{Engine: "fast", Store: "disk", Outbox: "none", Clustering: "some"}, []string{
			`engine "fast" is unknown; use community or tpc`,
			`store "disk" is unknown; use heap or hd-memory`,
			`outbox "none" is unknown; use scan or indexed`,
			`clustering "some" is unknown; use private or shared`,
		}},
		{"numbers", Config{
			Replicas: 65, Loops: -1, EventStoreLimit: 10, MemoryLimit: -1,
			OutboxTick: -1, OutboxRetention: -1, StepTimeout: time.Microsecond,
		}, []string{
			"replicas 65 is out of range; use 1 to 64",
			"loops -1 is out of range; use 1 to 256",
			"event store limit 10 is out of range; use 0 for no limit, or at least 256 events",
			"memory limit -1 is below 0; give a value in bytes; 0 leaves the limit alone",
			"outbox tick -1ns is below 1ms; give a value for example 100ms",
			"outbox retention -1ns is below 0s; give a value for example 60s",
			"step timeout 1µs is below 1ms; give a value for example 5s",
		}},
		{"pin", Config{Pin: true}, []string{"pin is set for the community engine, which has no event loops; use the tpc engine or leave pin out"}},
		{"services", Config{Services: []string{"account", "account", "shop"}, Replicas: 2}, []string{
			`service "account" is named twice; name it once`,
			`service "shop" is unknown; use account or inventory or order or payment`,
			"replicas is 2 but the order service does not run here; add it or leave replicas out",
		}},
		{"addresses", Config{Addrs: map[string]string{"account": "127.0.0.1:9000", "order": "127.0.0.1:9000", "payment": "9000", "shop": "x:1"}}, []string{
			"address 127.0.0.1:9000 is given to account and order; give each its own port",
			`address "9000" of payment is not host:port; use for example 127.0.0.1:8083`,
			`address for service "shop" is unknown; use account or inventory or order or payment`,
		}},
		{"peers", Config{Services: []string{"order"}, Peers: map[string]string{"order": "http://x", "payment": "x:1", "shop": "http://x"}}, []string{
			"order runs here and is a peer too; leave one of the two out",
			`peer payment has the url "x:1"; use for example http://payment:8082`,
			`peer "shop" is unknown; use account or inventory or order or payment`,
			"the order service needs inventory, which neither runs here nor is a peer; add it to the services or give its url as a peer",
		}},
		{"faults", Config{Faults: Faults{Plan: []Fault{{Kind: faultSlow, Replica: "order-2"}}}}, []string{
			"faults are planned but not enabled; enable them or leave the plan out",
			`no replica is named "order-2"; use order-1 to order-1`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.config.Validate()
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Error(diff)
			}
			if _, startErr := Start(t.Context(), tt.config); startErr == nil {
				t.Error("a system starts with it")
			}
		})
	}
}

func TestConfigFromEnv(t *testing.T) {
	got, err := ConfigFromEnv([]string{
		"PATH=/bin", "ORDERFLOW_ENGINE=tpc", "ORDERFLOW_STORE=hd-memory", "ORDERFLOW_OUTBOX=scan", "ORDERFLOW_REPLICAS=3",
		"ORDERFLOW_CLUSTERING=shared", "ORDERFLOW_EVENT_STORE_LIMIT=1000", "ORDERFLOW_FAULTS=pause=200ms@5s,slow=order-2:50ms",
		"ORDERFLOW_LOOPS=4", "ORDERFLOW_PIN=true", "ORDERFLOW_MEMORY_LIMIT=64MiB", "ORDERFLOW_OUTBOX_TICK=50ms",
		"ORDERFLOW_OUTBOX_RETENTION=10s", "ORDERFLOW_STEP_TIMEOUT=1s", "ORDERFLOW_SERVICES=order, payment",
		"ORDERFLOW_ADDR_ORDER=0.0.0.0:80", "ORDERFLOW_PEER_INVENTORY=http://inventory:8082", "ORDERFLOW_PEER_ACCOUNT=",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Engine, want.Store, want.Outbox, want.Replicas, want.Clustering = engine.TPC, view.OffHeap, outbox.Scan, 3, Shared
	want.EventStoreLimit, want.Loops, want.Pin, want.MemoryLimit = 1000, 4, true, 64<<20
	want.OutboxTick, want.OutboxRetention, want.StepTimeout = 50*time.Millisecond, 10*time.Second, time.Second
	want.Faults = Faults{Enabled: true, Plan: []Fault{
		{Kind: faultPause, Duration: 200 * time.Millisecond, At: 5 * time.Second},
		{Kind: faultSlow, Replica: "order-2", Duration: 50 * time.Millisecond},
	}}
	want.Services = []string{"order", "payment"}
	want.Addrs[Order] = "0.0.0.0:80"
	want.Peers = map[string]string{"inventory": "http://inventory:8082"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadEnvironments(t *testing.T) {
	for variable, want := range map[string]string{
		"ORDERFLOW_ENGIN=tpc":                      "ORDERFLOW_ENGIN is unknown; did you mean ORDERFLOW_ENGINE?",
		"ORDERFLOW_ADR_ORDER=x":                    "ORDERFLOW_ADR_ORDER is unknown; did you mean ORDERFLOW_ADDR_ORDER?",
		"ORDERFLOW_ENGINE=TPC":                     `ORDERFLOW_ENGINE=TPC: the value "TPC" is unknown; use community or tpc`,
		"ORDERFLOW_REPLICAS=two":                   "ORDERFLOW_REPLICAS=two: not a whole number; use for example 3",
		"ORDERFLOW_PIN=maybe":                      "ORDERFLOW_PIN=maybe: not true or false",
		"ORDERFLOW_OUTBOX_TICK=100":                "ORDERFLOW_OUTBOX_TICK=100: not a duration; use for example 100ms",
		"ORDERFLOW_MEMORY_LIMIT=64MB":              `ORDERFLOW_MEMORY_LIMIT=64MB: "64MB" is not a size; use bytes or a size such as 256MiB, up to 1024GiB`,
		"ORDERFLOW_MEMORY_LIMIT=1025GiB":           `ORDERFLOW_MEMORY_LIMIT=1025GiB: "1025GiB" is not a size; use bytes or a size such as 256MiB, up to 1024GiB`,
		"ORDERFLOW_FAULTS=pause=x":                 `ORDERFLOW_FAULTS=pause=x: fault "pause=x": "x" is not a duration; use for example 200ms`,
		"ORDERFLOW_REPLICAS=99":                    "replicas 99 is out of range; use 1 to 64",
		"ORDERFLOW_SERVICES=account,payment,order": "the order service needs inventory, which neither runs here nor is a peer; add it to the services or give its url as a peer",
	} {
		_, err := ConfigFromEnv([]string{variable})
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", variable, err, want)
		}
	}
	_, err := ConfigFromEnv([]string{"ORDERFLOW_ENGIN=tpc", "ORDERFLOW_LOOPS=x"})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two bad variables give %v, want two lines", err)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"same", "same", 0}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance of %q and %q is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzParseFaults(f *testing.F) {
	for _, s := range []string{"on", "off", "pause=200ms@5s,refuse=1s", "leak=1MiB/s,exhaust=all@1m", "slow=order-1:5ms", "=@,", "leak=-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		faults, err := ParseFaults(s)
		if err != nil {
			return
		}
		for _, fault := range faults.Plan {
			if fault.At < 0 || fault.Duration < 0 || fault.Bytes < 0 || !faults.Enabled {
				t.Errorf("%q gives %+v", s, faults)
			}
		}
	})
}
