# What a newcomer needs: `make demo` and `make test`. Both set the machine up first.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
UMBRA := $(TARGET)/release/umbra

# Where `make install` puts things; what stands in DESTDIR comes before that, for packages.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: setup packages build libc install test test-full demo bench lint

setup: packages build libc

packages:
	@scripts/setup packages

build: packages
	@$(CARGO) build --release --quiet

libc: build
	@scripts/setup libc

# The binary of `make build`, manual pages, completions. It builds nothing, so that it may run as root.
install:
	@scripts/install "$(UMBRA)" "$(PREFIX)" "$(DESTDIR)"

lint: packages
	$(CARGO) fmt --all --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings
	$(CARGO) clippy --quiet -p umbra-shim --features freestanding --bin umbra-shim --profile shim -- -D warnings

test: setup lint
	UMBRA_REQUIRE_Z3=1 UMBRA_REQUIRE_MACHINE=1 $(CARGO) test --quiet

# The slower checks: all of the differential suite, its packages built with the wrapper; 500
# random programs and 2,000 damaged files; all inputs of the enumerable programs and of 2,000 generated ones, and
# programs of coreutils explored for two minutes each; builds, recordings and replays killed at 100 moments; programs
# with threads run 100 times; the sandbox and the walk over system calls on other kernels, where there is qemu; builds of
# releases of real projects; real patches through `umbra diff`; the forms of a report read by other programs, and its page
# used in a browser.
test-full: test
	UMBRA_CSMITH=500 $(CARGO) test --quiet -p testkit --test csmith
	UMBRA_DAMAGE=2000 $(CARGO) test --quiet -p testkit --test damage
	UMBRA_SUITE=full $(CARGO) test --quiet -p testkit --test differential
	UMBRA_SUITE=full $(CARGO) test --quiet -p testkit --test suites
	UMBRA_SUITE=full $(CARGO) test --quiet -p testkit --test recordings
	UMBRA_KILLS=100 $(CARGO) test --quiet -p umbra --test cli killed
	UMBRA_THREAD_RUNS=100 $(CARGO) test --quiet -p umbra --test cli threads
	UMBRA_KILLS=100 $(CARGO) test --quiet -p umbra-record --test recording killed
	UMBRA_CASES=20000 $(CARGO) test --quiet -p umbra-replay --test replay no_generated_case
	scripts/check-forms
	scripts/test-report
	UMBRA=$(UMBRA) scripts/try-kernels || [ $$? = 2 ]
	UMBRA=$(UMBRA) scripts/try-releases
	UMBRA=$(UMBRA) scripts/try-patches --results $(TARGET)/patches --most 12
	$(CARGO) run --release --quiet -p bench -- patches $(TARGET)/patches

demo: setup
	@examples/demo

# The engine: against native time, on kernels and on programs of coreutils; exploring, with KLEE's
# figures; forking; two versions in one execution. The solver: against Z3, on queries of real runs and on generated ones. Recording:
# what it adds to an invocation. Replaying: runs a second, plain and with sanitizers.
bench: setup
	@$(CARGO) build --release --quiet -p umbra-strategy --example forks --example shadow
	@tree=$$(UMBRA=$(UMBRA) scripts/build-package coreutils) && scratch=$$(mktemp -d) && \
	trap 'rm -rf "$$scratch"' EXIT && \
	bench="$(CARGO) run --release --quiet -p bench --" && \
	compare="$(CARGO) run --release --quiet -p umbra-solver --example compare --" && \
	$$bench concrete $(UMBRA) benches/kernels "$$tree" && \
	$$bench symbolic $(UMBRA) benches/symbolic "$$tree" && \
	$$bench forks $(TARGET)/release/examples/forks $(UMBRA) benches/symbolic && \
	$$bench shadow $(TARGET)/release/examples/shadow $(UMBRA) benches/shadow \
		tests/shadow/upstream/cut-compare-ranges.patch && \
	$$bench record $(UMBRA) benches/symbolic "$$tree" "$$scratch" && \
	printf '\nthe solver, on queries of real runs\n' && $$compare "$$scratch"/* && \
	printf '\nthe solver, on generated queries\n' && $$compare && \
	printf '\nrecording, for each invocation of cut\n' && \
	$(CARGO) run --release --quiet -p umbra-record --example overhead -- "$$tree/src/cut" -d: -f1 in && \
	rate="$(CARGO) run --release --quiet -p umbra-replay --example rate --" && \
	printf '\nnative replays of cut\n' && $$rate "$$tree/src/cut" 2000 2 namespaces -- -f1 a && \
	printf '\nnative replays with sanitizers\n' && \
	printf '#include <stdio.h>\nint main(void) { return puts("done") < 0; }\n' >"$$scratch/done.c" && \
	clang-19 -g -fsanitize=address,undefined "$$scratch/done.c" -o "$$scratch/done" && \
	$$rate "$$scratch/done" 400 2
