# `make` lists the targets: the words after ## below.

export HOME := $(shell scripts/home)
PREFIX ?= $(HOME)/.local
BIN     = bin
BENCH   =
FUZZ    = 1m
FAULTS  =

# The two programs are static and free of cgo. The helper for typing is built only
# where its C libraries are installed.
PROGRAMS = cursor-ralph cursor-ralph-hook
HELPER   = cursor-ralph-robotgo
TARGETS  = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VERSION  = $(shell git describe --tags --dirty 2>/dev/null)
GOBUILD  = CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=$(VERSION)"

.DEFAULT_GOAL := help
.PHONY: help build programs helper install demo docs record test test-all nightly lab check bench faults fuzz cross extension package clean

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: programs helper ## build everything into bin/

programs: ## build cursor-ralph and cursor-ralph-hook alone
	@mkdir -p $(BIN)
	$(GOBUILD) -o $(BIN)/ $(PROGRAMS:%=./cmd/%)

helper: ## build cursor-ralph-robotgo, one way of typing; skipped where its C libraries are missing
	@scripts/setup build
	@scripts/helper $(BIN)/$(HELPER) "$(VERSION)"

install: build ## copy them to PREFIX/bin (default ~/.local/bin)
	umask 022 && install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(PROGRAMS:%=$(BIN)/%) "$(DESTDIR)$(PREFIX)/bin/"
	@[ ! -e $(BIN)/$(HELPER) ] || install -m 755 $(BIN)/$(HELPER) "$(DESTDIR)$(PREFIX)/bin/"
	@echo
	@echo "Now install it in Cursor: $(PREFIX)/bin/cursor-ralph install"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "and put $(PREFIX)/bin on your PATH, so that the agent's shell finds cursor-ralph";; esac

demo: ## a whole loop with a simulated Cursor, in a scratch folder
	@echo "demo: fetching Go modules and building cursor-ralph into bin/; the first time that takes about a minute on two cores"
	@{ $(MAKE) --no-print-directory -s programs && go run ./test/demo $(BIN); } || { scripts/setup demo; exit 1; }

docs: ## write docs/commands.md from the table of commands
	@UPDATE=1 go test -count=1 -run TestCommandsPage ./cmd/cursor-ralph

record: programs ## record a demo, and the panel in a tmux, into docs/demo.svg
	@go build -o $(BIN)/ ./test/demo
	@go run ./scripts/record $(BIN)/cursor-ralph >docs/demo.svg.new && mv docs/demo.svg.new docs/demo.svg

test: ## the tests in two minutes, four the first time: one case of each kind; ends with what was skipped
	@scripts/test short

test-all: ## all tests, with the race detector; as root on Debian installs the desktops and tools they need
	@scripts/test all

nightly: ## what explores, before a release: fuzzing, all faults, packages, benchmarks, the lab (.ci/nightly)
	@.ci/nightly

lab: ## type into real windows for half an hour and write docs/measured/typing.md
	@scripts/lab

check: ## everything that CI checks: the static checks, make test-all, and make demo and make test in fresh rooms (.ci/run)
	@.ci/run

bench: ## measure the hook beside the least that a program can do, and beside hooks in bash (BENCH="-runs 1000")
	@go test -count=1 -timeout 30m -v -run TestTable ./test/bench -args -runs 200 $(BENCH)

faults: ## kill every operation, and fail it, at each call about our files, and say how often; needs Linux and strace (FAULTS="/claim")
	@go test -count=1 -v -timeout 30m -run "NothingIsLost$(FAULTS)" ./test/faults -args -every

fuzz: ## every fuzz target for FUZZ=1m, with a table (FUZZ="-p 2 10m", FUZZ=corpus)
	@scripts/fuzz $(FUZZ)

cross: ## build for all systems into dist/
	@set -e; for target in $(TARGETS); do \
		echo "dist/$$target"; \
		mkdir -p dist/$$target; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GOBUILD) -o dist/$$target/ $(PROGRAMS:%=./cmd/%); \
	done

extension: ## the editor extension with its programs, a .vsix for each platform, into dist/extension/
	@scripts/extension package dist/extension

package: ## build and test all files of a release in dist/; publishes nothing
	@scripts/package check

clean: ## remove bin/ and dist/
	rm -rf $(BIN) dist
