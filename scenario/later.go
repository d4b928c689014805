package scenario

// laterKey looks for a key of the full scenario format that this version cannot carry
// out. Such a key is refused by name: a setting that has no effect must never look
// accepted. The hint says what to write instead, where there is something.
func laterKey(kind, key string) (hint string, found bool) {
	table := map[string]map[string]string{
		"scenario": {
			"include": "write the parts out in this file", "sweep": "", "sustained": "", "profile": "", "report": "", "tiers": "",
		},
		"target":  {"compose": startedHere, "kubernetes": startedHere},
		"service": {"container": "name a process with program: NAME", "deployment": "name a process with program: NAME"},
		"feeder":  {"order: unique": ""},
		"seed": {
			"from": "write the row as json: with ${...}", "save_to": "", "on_error": "seeding always stops at the first error",
		},
		"operation": {
			"check": "", "steps": "", "form": "write body: text with a Content-Type header",
			"think": "arrivals already set the pace",
		},
		"load":   {"stages": "", "think": "arrivals already set the pace"},
		"warmup": {"rate": "warm-up is sent at the rate of the load"},
		"reset":  {"between": "a reset is made before each trial", "restart": "write do: recreate"},
		"observe": {
			"containers": inProcess, "kubernetes": inProcess, "gc_log": "", "budget": "", "conserve": "",
			"prometheus": "each service is scraped at its own metrics: path",
		},
		"variant": {
			"compose": byEnv, "helm": byEnv, "memory": byEnv + " (GOMEMLIMIT for Go programs)", "cpus": byEnv + " (GOMAXPROCS for Go programs)",
			"replicas": byEnv, "image": byEnv, "before": "", "after": "",
		},
		"verify": {"container": "observe it with http: SERVICE:/path", "image": "", "env": ""},
		"abtest": {
			"repeats": "write pairs_min and pairs_max", "design": "pairs are always in random order, balanced",
			"duration": "the measured time is load.duration", "smallest_change": "write name_at: { p95: 5% 1ms }",
		},
	}
	hint, found = table[kind][key]
	return hint, found
}

const (
	startedHere = "write process: { programs: ... } to start programs here, or external: true"
	inProcess   = "write resources: 1s to sample the processes of the target"
	byEnv       = "set it by an environment variable: env: { NAME: value }"
)
