# `make` prints what there is: the words after ## below.

PREFIX ?= $(HOME)/.local
BIN     = bin
BENCH   =
LOAD    =
FUZZ    = 1m
FAULTS  =

# The two programs that everybody gets are static and free of cgo. The helper
# for typing is built where its C libraries are.
PROGRAMS = cursor-ralph cursor-ralph-hook
HELPER   = cursor-ralph-robotgo
TARGETS  = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VERSION  = $(shell git describe --tags --dirty 2>/dev/null)
GOBUILD  = CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=$(VERSION)"

.DEFAULT_GOAL := help
.PHONY: help build programs helper install demo docs record test lab check bench benchmarks bench-typing bench-watch faults load soak fuzz cross package clean

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: programs helper ## build everything into bin/

programs: ## build cursor-ralph and cursor-ralph-hook alone
	@mkdir -p $(BIN)
	$(GOBUILD) -o $(BIN)/ $(PROGRAMS:%=./cmd/%)

helper: ## build cursor-ralph-robotgo, one of the ways of typing; skipped where its C libraries are missing
	@scripts/setup build
	@scripts/helper $(BIN)/$(HELPER) "$(VERSION)"

install: build ## copy them to PREFIX/bin (default ~/.local/bin)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(PROGRAMS:%=$(BIN)/%) "$(DESTDIR)$(PREFIX)/bin/"
	@[ ! -e $(BIN)/$(HELPER) ] || install -m 755 $(BIN)/$(HELPER) "$(DESTDIR)$(PREFIX)/bin/"
	@echo
	@echo "Now tell Cursor about it: $(PREFIX)/bin/cursor-ralph install"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "and put $(PREFIX)/bin on your PATH, so that the agent's shell finds cursor-ralph";; esac

demo: ## a whole loop with a simulated Cursor, in a scratch folder
	@scripts/setup demo
	@$(MAKE) --no-print-directory -s programs
	@$(BIN)/cursor-ralph demo

docs: ## write docs/commands.md from the table of commands
	@go test -count=1 -run TestCommandsPage ./cmd/cursor-ralph -update

record: programs ## record a demo into docs/demo.svg
	@$(BIN)/cursor-ralph demo | go run ./scripts/record >docs/demo.svg.new && mv docs/demo.svg.new docs/demo.svg

test: ## all tests; tells at the end what was skipped
	@scripts/test

lab: ## type into real windows in many conditions, half an hour long, and write docs/typing.md
	@scripts/lab

check: ## everything that CI checks, tests and fuzzing included (.ci/run)
	@.ci/run

bench: ## the hook's speed: alone, among many loops, beside hooks in bash (BENCH="-only speed", BENCH=-help)
	@go run ./bench $(BENCH)

benchmarks: ## measure it all for some minutes, on a machine that does nothing else, and write docs/benchmarks.md
	@go run ./bench -markdown $(BENCH) >docs/benchmarks.md.new && mv docs/benchmarks.md.new docs/benchmarks.md

bench-typing: ## how long it takes from the hook's end to the message in the editor, on X11 (BENCH="-n 100")
	@go run ./bench/typing $(BENCH)

bench-watch: ## what the panel costs while 200 loops change (BENCH="-loops 1000 -events 100")
	@go run ./bench/watch $(BENCH)

faults: ## kill and injure every operation at every system call, on Linux; it takes its time (FAULTS="-only claim")
	@go run ./chaos/faults $(FAULTS)

load: ## 64 conversations at once, each a loop of 100 iterations; and again with the hook in two places (LOAD="-iterations 20")
	@go run ./chaos/load many $(LOAD)
	@go run ./chaos/load many -twice $(LOAD)

soak: ## 100 000 events while loops begin and end; then loops whose files are removed from /tmp (LOAD="-events 5000 -rounds 70")
	@go run ./chaos/load soak $(LOAD)
	@go run ./chaos/load clean $(LOAD)

fuzz: ## every fuzz target for FUZZ=1m, and a table of it (FUZZ="-p 2 10m", FUZZ=corpus)
	@scripts/fuzz $(FUZZ)

cross: ## build for all systems into dist/
	@set -e; for target in $(TARGETS); do \
		echo "dist/$$target"; \
		mkdir -p dist/$$target; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GOBUILD) -o dist/$$target/ $(PROGRAMS:%=./cmd/%); \
	done

package: ## all files of a release into dist/, tried and not published
	@scripts/package check

clean: ## remove bin/ and dist/
	rm -rf $(BIN) dist
