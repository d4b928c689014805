# Two commands do everything: make demo, make test. CONTRIBUTING.md has the rest.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -s -w -X main.release=$(VERSION)

.PHONY: build demo test lint aa bench fuzz clean

build: ## static binary in bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/perfctl ./cmd/perfctl

demo: build ## the main job on the bundled system: under five minutes, ends on a report
	@lab/demo.sh bin/perfctl results

test: lint ## everything that needs only Go, and the real parts that are here; says what it skipped
	@lab/test.sh

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt: run gofmt -w on these'; exit 1; }
	go vet ./...
	go tool staticcheck ./...

aa: build ## SESSIONS quick A/A sessions: how often is a winner named where there is none?
	@lab/aa.sh bin/perfctl results/aa $${SESSIONS:-20}

bench: ## cost and pacing of the generator, throughput of the bundled system
	go test -run '^$$' -bench . -benchmem ./arrival ./client ./load ./orderflow

fuzz: ## each fuzz target for a while
	@lab/fuzz.sh $${FUZZTIME:-20s}

clean:
	rm -rf bin
