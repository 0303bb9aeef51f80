# `make` lists what can be done. Nothing needs to be installed first: each target has scripts/bootstrap add what is missing.

SHELL := bash
.DEFAULT_GOAL := help

# A Go that bootstrap had to fetch for this checkout comes before the machine's; an older Go fetches the one of go.mod.
export PATH := $(CURDIR)/.cache/go/bin:$(PATH)
export GOTOOLCHAIN := $(or $(filter-out local,$(GOTOOLCHAIN)),auto)
# Transactions are signed by Go code alone, as in the image, which has no C: the tag is go-ethereum's. It also saves a tenth of a first build.
export GOFLAGS := $(strip $(GOFLAGS) -tags=gofuzz)

VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
# Tests wait for servers half of their time, so four packages run at once even on two cores.
LIMITS := -timeout 40m -p $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores > 4 ? cores : 4)))
# The longest begin first.
TESTS := $(LIMITS) ./cmd/causeway ./workers ./internal/proof/simulation ./...
LINT := go tool -modfile=scripts/tools/go.mod golangci-lint

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do printf '  make %-15s %s\n' "$$name" "$$what"; done

.PHONY: run
run: build ## start everything on this machine with a demo merchant (ARGS="--reset" and the like are passed on)
	@exec bin/causeway dev $(ARGS)

.PHONY: demo
demo: build ## the same, and a payin and a payout played before your eyes, webhooks included
	@exec bin/causeway dev --demo $(ARGS)

# For the race detector, the same for what is built and what is tested, so that what both need is compiled once. What only debuggers
# read takes an eighth of the time in which everything is compiled; checks of unsafe pointers, which only libraries use, a fifteenth of
# the tests' time: both are left out.
COMPILED := -dwarf=false -d=checkptr=0
# Regular expressions and signatures take ten times as long, and a password's hash twice the memory, when the race detector watches what
# they compute; they share nothing. A package that uses a generic type of sync or sync/atomic cannot be left out: the linker may take its code for
# everybody, and the detector would report races that are none.
COMPUTING := regexp/... golang.org/x/crypto/argon2 github.com/decred/dcrd/dcrec/... filippo.io/edwards25519/...
# Redis's client has so many short functions that to inline them is half of its compilation, and that of commands, which hardly run.
WRAPPING := github.com/redis/... github.com/hibiken/... causeway/cmd/...
RACING := -race '-gcflags=all=$(COMPILED)' $(foreach p,$(COMPUTING),'-gcflags=$p=$(COMPILED) -race=false') \
  $(foreach p,$(WRAPPING),'-gcflags=$p=$(COMPILED) -l')
BUILD := $(if $(RACE),$(RACING),-trimpath)
# The compiler and the tests collect garbage less often, which saves a tenth of their time, and nobody sleeps for a second before
# he exits, as the race detector has it.
SOON := GOGC=$${GOGC:-400} GORACE=atexit_sleep_ms=50

.PHONY: build
build: bootstrap ## build bin/causeway
	@[ -e bin/causeway ] || echo "building bin/causeway: minutes the first time, when every module is fetched and compiled" >&2
	@$(if $(RACE),$(SOON)) go build -buildvcs=false $(BUILD) -ldflags "-X main.version=$(VERSION)" -o bin/causeway ./cmd/causeway

# Without vet, which `make check` has.
TESTING := $(SOON) go test $(RACING) -vet=off -ldflags=-w

.PHONY: test
test: tools ## every test, with the race detector, on real PostgreSQL, Redis, anvil, bitcoind, litecoind and Chromium
	$(TESTING) $(TESTS)

# What asks the database; commands and whole installations make connections of their own.
POOLED := ./api ./chains/sandbox ./internal/cli/admincmd ./internal/lists ./internal/ops/... ./internal/pg ./internal/store ./internal/web/... \
  ./ledger ./migrations ./scheduler ./tasks ./workers/...
.PHONY: test-pgbouncer
test-pgbouncer: tools ## the tests of all that asks the database, through a pgbouncer in its transaction mode
	CAUSEWAY_TESTKIT_POOLER=1 go test $(LIMITS) $(POOLED)

# What `make test` can take from Go's cache: everything compiled, and the simulation, which does not mind being slow, since it has a
# clock of its own. Its servers are as slow, so they do not stay for other tests.
.PHONY: early
early: tools
	@$(SOON) go list $(RACING) -test -deps -export ./... >/dev/null
	@CAUSEWAY_TESTKIT_LINGER=0s $(TESTING) $(LIMITS) ./internal/proof/simulation

.PHONY: check
check: lint tools ## before every commit: the format, lint, vet and the tests without the race detector
	go vet ./...
	go test $(TESTS)

.PHONY: lint
lint: bootstrap ## gofmt and golangci-lint (building the linter takes two minutes, once)
	@unformatted=$$(find . -name '*.go' -not -path './.*' | xargs gofmt -l); \
	  if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; fi
	$(LINT) run ./...

.PHONY: bench
bench: build ## what it does in a second, beside pgbench and Asynq alone (BENCH_SECONDS=10 for steadier figures, BENCH=payouts for a part)
	@go run ./internal/proof/bench $(if $(BENCH_SECONDS),-seconds $(BENCH_SECONDS)) $(if $(BENCH),-only '$(BENCH)') $(ARGS)

.PHONY: fuzz
fuzz: bootstrap ## every fuzz target, one after the other (FUZZTIME=10m for each, FUZZ=regexp picks some)
	@scripts/fuzz $(or $(FUZZTIME),10m)

.PHONY: torture
torture: build ## kill, flush, crash and reorganise everything under load, then check every sum (ARGS="-seed 7 -duration 1h -kills 10000", RACE=1 for the race detector)
	@go run $(BUILD) ./internal/proof/torture $(ARGS)

.PHONY: soak
soak: build ## two hours of steady load on every role, in which nothing may grow (ARGS="-duration 10m -payouts 20")
	@go run $(BUILD) ./internal/proof/torture -soak -duration 2h -payouts 50 -payins 10 -transfers 5 -refunds 0.5 -block 1s $(ARGS)

.PHONY: torture-bitcoin
torture-bitcoin: build ## the same with Bitcoin on a real node and the sandbox beside it, for 500 kills
	@scripts/bootstrap --node
	@scripts/nodes bitcoind >/dev/null
	@go run $(BUILD) ./internal/proof/torture -bitcoin -duration 30m -kills 500 -kill-every 1s -postgres 90s $(ARGS)

# Only the databases die, so that the times without answers are theirs.
.PHONY: drill-failover
drill-failover: build ## three databases under Patroni, etcd and HAProxy, whose primary is killed ten times under load, then the same checks
	@scripts/bootstrap --failover
	@go run $(BUILD) ./internal/proof/torture -failovers 10 -duration 30m -kill-every 24h -flush 24h -redis 24h $(ARGS)

# Rolling a version out, as reliability.md says it: old and new processes beside each other, all killed again and again.
.PHONY: torture-rolling
torture-rolling: build ## the same while this version takes the place of an older one (OLDER=v0.1.0, a tag or a commit)
	@scripts/older $(OLDER) bin/older/causeway
	@go run $(BUILD) ./internal/proof/torture -duration 2m -older bin/older/causeway $(ARGS)

.PHONY: freeze
freeze: build ## keep a database of this version, which every later one must migrate (VERSION=0.1.0), before its release is committed
	@go run $(BUILD) ./internal/proof/torture -duration 15s -freeze $(VERSION) $(ARGS)

.PHONY: simulate
simulate: bootstrap ## play the whole service under SEEDS seeds (1000) of 500 steps each (FROM=n starts elsewhere)
	go test ./internal/proof/simulation -count=1 -timeout 12h -run '^TestSeeds$$' -ops 500 -seeds $(or $(SEEDS),1000) -from $(or $(FROM),1)

.PHONY: failpoints
failpoints: bootstrap ## crash it before and after each commit, ring and question to a node, and cut its connection at each statement, under SEEDS seeds (20)
	set -o pipefail; go test ./internal/proof/simulation -count=1 -timeout 12h -v -run '^Test(CrashAtEachPoint|LossAtEachStatement)$$' -sweep-plays 12 -sweep $(or $(SEEDS),20) -sweep-from $(or $(FROM),1) \
	  | grep -vE '^ *(===|--- PASS)'

.PHONY: mutants
mutants: bootstrap ## put known mistakes into the code, one at a time: the tests must notice each (RUN=regexp picks some)
	go run ./internal/proof/mutants -run '$(or $(RUN),.)'

.PHONY: drill-redis
drill-redis: build ## kill primaries of Redis, with sentinels and in a cluster, and move a slot under load (FAULTS=5, SILENT=5s until a primary is replaced)
	go test -count=1 -v -timeout 1h -run '^Test(SentinelsReplaceAPrimary|AClusterMovesASlotAndReplacesAPrimary)$$' ./cmd/causeway \
	  -redis-faults $(or $(FAULTS),5) -redis-silent $(or $(SILENT),5s)

.PHONY: demo-ethereum
demo-ethereum: build ## a payin and a payout on a local Ethereum node (anvil)
	@scripts/bootstrap --node
	@scripts/anvil >/dev/null
	go test -count=1 -v -run "^TestMainJobOnEthereum$$" ./cmd/causeway

.PHONY: demo-treasury
demo-treasury: build ## 1,000 deposit addresses (ADDRESSES=) of a coin and two tokens swept on a local Ethereum node, with time, gas and cost
	@scripts/bootstrap --node
	@scripts/anvil >/dev/null
	go test -count=1 -v -timeout 2h -run "^TestTreasuryOnEthereum$$" ./cmd/causeway -deposit-addresses $(or $(ADDRESSES),1000)

.PHONY: demo-bitcoin
demo-bitcoin: build ## a payin, and three payouts in one transaction, paid from its coin as well, on a local Bitcoin node
	@scripts/bootstrap --node
	@scripts/nodes bitcoind >/dev/null
	go test -count=1 -v -run "^TestMainJobOnBitcoin$$" ./cmd/causeway

.PHONY: demo-litecoin
demo-litecoin: build ## the same on a local Litecoin node, with extension blocks
	@scripts/bootstrap --node
	@scripts/nodes litecoind >/dev/null
	go test -count=1 -v -run "^TestMainJobOnLitecoin$$" ./cmd/causeway

.PHONY: demo-tron
demo-tron: build ## payins and payouts of USDT and TRX on a fake node of Tron, which runs the token's code and checks what a real one would
	@scripts/bootstrap --node
	go test -count=1 -v -run "^TestMainJobOnTron$$" ./cmd/causeway

.PHONY: demo-solana
demo-solana: build ## payins and payouts of USDC and SOL on Solana's real runtime, behind a shim of its RPC
	@scripts/bootstrap --node
	@scripts/litesvm >/dev/null
	go test -count=1 -v -run "^TestMainJobOnSolana$$" ./cmd/causeway

.PHONY: demo-ton
demo-ton: build ## payins and payouts of USDT and TON on TON's real virtual machine, behind a shim of its HTTP API
	@scripts/bootstrap --node
	@scripts/tonvm >/dev/null
	go test -count=1 -v -run "^TestMainJobOnTON$$" ./cmd/causeway

.PHONY: demo-monero
demo-monero: build ## a payin, and three payouts in one transaction, on a local node of Monero with its wallet servers
	@scripts/bootstrap --node
	@scripts/nodes monerod monero-wallet-rpc >/dev/null
	go test -count=1 -v -run "^TestMainJobOnMonero$$" ./cmd/causeway

.PHONY: demo-ripple
demo-ripple: build ## payins with destination tags and payouts of XRP on a fake rippled, which checks what a real one would
	@scripts/bootstrap --node
	go test -count=1 -v -run "^TestMainJobOnRipple$$" ./cmd/causeway

.PHONY: demo-cardano
demo-cardano: build ## a payin and payouts of ADA on an emulator of Cardano's ledger, behind a shim of Ogmios
	@scripts/bootstrap --node
	@scripts/cardanovm >/dev/null
	go test -count=1 -v -run "^TestMainJobOnCardano$$" ./cmd/causeway

# The report names each node that was tried, with its version, and each that is not there.
.PHONY: verify-nodes
verify-nodes: bootstrap ## try the connector on real nodes of Bitcoin and its kin (NODES=DIR has dogecoin/dogecoind, bitcoincash/bitcoind, bitcoinsv/bitcoind, bitcoingold/bgoldd)
	@scripts/bootstrap --node
	@scripts/nodes >/dev/null
	NODES=$(abspath $(NODES)) go test -count=1 -v -timeout 2h -run '^Test(Nodes|Edges|NoSignatureHoldsAtTheFork|Bitcoin|Litecoin|OtherNodes|MainJobOn(Bitcoin|Litecoin|OtherCoins)|.*OnBitcoin)$$' ./internal/dev/bitcoind ./internal/dev/coinfake ./chains/utxo ./cmd/causeway

.PHONY: verify-monero
verify-monero: bootstrap ## try the whole suite of connectors on a real node and wallets of Monero
	@scripts/nodes monerod monero-wallet-rpc >/dev/null
	go test -count=1 -timeout 1h ./chains/monero -whole

# Helm brings much of Kubernetes along, so the chart's tests are a module of their own.
.PHONY: chart
chart: bootstrap ## render the chart for Kubernetes as Helm does, and check what comes out
	cd deploy/helm && go vet ./... && go test ./...

.PHONY: release
release: bootstrap ## the archives of a release, their bills of materials and checksums, in bin/release (VERSION=0.1.0)
	@scripts/release $(VERSION)

.PHONY: contract
contract: bootstrap ## print every sentence of the contract with the tests that cover it
	@mkdir -p bin
	@go test ./internal/proof/contracttable -count=1 -run '^TestEverySentenceHasARow$$' -page "$(CURDIR)/bin/contract.md" >/dev/null
	@cat bin/contract.md

.PHONY: kits
kits: bootstrap ## write the types and READMEs of the clients in other languages, after a change of the API or of their guides
	@go run ./internal/dev/kits

.PHONY: clean
clean: ## delete what was built; data of `make run` stays in .dev
	rm -rf bin

.PHONY: bootstrap
bootstrap:
	@scripts/bootstrap $(if $(RACE),--race)

# What tests need beside what is built with: a C compiler for the race detector, Chromium, the nodes, python3, jq and php, pgbouncer.
.PHONY: tools
tools:
	@scripts/bootstrap --race --browser --node --snippets --pooler
	@scripts/anvil >/dev/null
	@scripts/litesvm >/dev/null
	@scripts/tonvm >/dev/null
	@scripts/typescript >/dev/null
	@scripts/cardanovm >/dev/null
	@scripts/nodes >/dev/null
