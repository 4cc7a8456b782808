# What a newcomer needs: `make demo` and `make test`. Both set the machine up first.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
UMBRA := $(TARGET)/release/umbra

.PHONY: setup packages build libc test test-full demo bench lint

setup: packages build libc

packages:
	@scripts/setup packages

build: packages
	@$(CARGO) build --release --quiet

libc: build
	@scripts/setup libc

lint: packages
	$(CARGO) fmt --all --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings

test: setup lint
	UMBRA_REQUIRE_Z3=1 $(CARGO) test --quiet

# The slower checks: all of the differential suite, its packages built with the wrapper; 500
# random programs and 2,000 damaged files; all inputs of the enumerable programs, and programs of
# coreutils explored for two minutes each.
test-full: test
	UMBRA_CSMITH=500 $(CARGO) test --quiet -p testkit --test csmith
	UMBRA_DAMAGE=2000 $(CARGO) test --quiet -p testkit --test damage
	UMBRA_SUITE=full $(CARGO) test --quiet -p testkit --test differential
	UMBRA_SUITE=full $(CARGO) test --quiet -p testkit --test suites

demo: setup
	@examples/demo

# Engine against native time, on kernels and on programs of coreutils; the solver against Z3.
bench: setup
	@$(CARGO) run --release --quiet -p bench -- $(UMBRA) benches/kernels "$$(scripts/build-package coreutils)"
	@$(CARGO) run --release --quiet -p umbra-solver --example compare
