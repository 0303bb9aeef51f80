package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// togetherFor is the length of following all networks at once. A slower one shows one block meanwhile: more than its pace.
const togetherFor = 2 * time.Minute

// deep is how many blocks there are at the beginning.
const deep = 25

// mostTogether is the most processor time of following every network, PostgreSQL included, in percent of a core.
const mostTogether = 50

// paced are the networks at the pace of their main chains. Litecoin and BitcoinGold are left out: their blocks have another form. Nova (Arbitrum)
// makes a block when somebody sends something.
var paced = []struct {
	network string
	pace    time.Duration
	token   string // of payments to us; "" for the line of followedNetworks with the same replay
}{
	{"Bitcoin", 10 * time.Minute, ""}, {"Ethereum", 12 * time.Second, ""}, {"BinanceSmartChain", 450 * time.Millisecond, ""}, {"Tron", 3 * time.Second, ""},
	{"Solana", 16 * 400 * time.Millisecond, ""}, {"Ripple", 4 * time.Second, ""}, {"Cardano", cardanoPeriod * time.Second, ""}, {"Dogecoin", time.Minute, "DOGE"},
	{"Polygon", 2 * time.Second, ""}, {"Avalanche", 1500 * time.Millisecond, ""}, {"ArbitrumOne", 250 * time.Millisecond, ""}, {"Celo", time.Second, ""},
	{"Optimism", 2 * time.Second, ""}, {"Arbitrum", 2 * time.Second, ""}, {"Cronos", time.Second, ""}, {"Base", 2 * time.Second, ""},
	{"BitcoinCash", 10 * time.Minute, "BCH"}, {"BitcoinSV", 10 * time.Minute, "BSV"}, {"Monero", 2 * time.Minute, ""},
	{"OpBnb", 250 * time.Millisecond, ""}, {"Xlayer", 400 * time.Millisecond, ""}, {"TON", tonPeriod * time.Second, ""},
}

// together is every network followed by one worker.
type together struct {
	*arena
	all    []*following
	worker *role
	before []struct{ seen, paid int } // of each network, at the beginning
}

// measureTogether follows every network at its pace, and takes the processor time of everything but the nodes.
func (b *bench) measureTogether() (err error) {
	a, err := b.emptyArena("together")
	if err != nil {
		return err
	}
	t := &together{arena: a}
	defer func() {
		for _, f := range t.all {
			f.node.close()
		}
		err = errors.Join(err, a.close())
	}()
	if err := t.begin(); err != nil {
		return err
	}
	if err := t.pace(10 * time.Second); err != nil { // statements are planned, and connections opened
		return err
	}
	m, asked, began := a.meter(a.roles...), t.requests(), time.Now()
	if err := t.pace(togetherFor); err != nil {
		return err
	}
	took := time.Since(began)
	spent, worker, postgres := m.all()-m.of("load"), m.of("worker"), m.of("PostgreSQL")
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / took.Seconds() }
	a.table.add(row{what: fmt.Sprintf("%d networks followed at their pace, %d addresses each", len(t.all), fewAddresses), measured: share(spent), unit: "% of a core",
		bar: mostTogether, ceiling: true, cpu: fmt.Sprintf("worker %.1f %%, PostgreSQL %.1f %%", share(worker), share(postgres))})
	a.table.add(row{what: "requests to all nodes", measured: float64(t.requests()-asked) / took.Minutes(), unit: "a minute"})
	a.table.add(row{what: "memory of the worker (peak)", measured: peakMemory(t.worker.cmd.Process.Pid), unit: "MB"})
	return t.allSeen()
}

// begin starts the nodes and the roles, fills the books, and waits for the first blocks.
func (t *together) begin() error {
	catalogue, err := t.store.Tokens(t.ctx)
	if err != nil {
		return err
	}
	file := "networks:\n"
	for i, p := range paced {
		f := &following{arena: t.arena, followed: likeOf(p.network, p.token), addresses: fewAddresses, catalogue: catalogue}
		f.pace, f.first = p.pace, int64(i)*1_000_000
		f.token = f.payable()
		chain, err := f.replay(f)
		if err != nil {
			return fmt.Errorf("%s: %w", p.network, err)
		}
		f.node = serveReplay(chain)
		t.all = append(t.all, f)
		file += strings.TrimPrefix(chain.settings(f.node.url), "networks:\n")
	}
	path := filepath.Join(t.data, "networks-together.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		return err
	}
	if t.worker, err = t.start([]string{"NETWORKS_FILE=" + path}, "worker", "--queues", "chain"); err != nil {
		return err
	}
	people, err := t.settle()
	if err != nil {
		return err
	}
	for _, f := range t.all {
		if err := f.fillFor(people); err != nil {
			return fmt.Errorf("%s: %w", f.network, err)
		}
		f.growBy(deep) // a block before the first replayed one is nobody's finality
		f.node.show()
	}
	if _, err = t.start([]string{"NETWORKS_FILE=" + path}, "scheduler"); err != nil {
		return err
	}
	if err := t.caughtUp(); err != nil {
		return err
	}
	for _, f := range t.all {
		seen, err := f.seen()
		if err != nil {
			return err
		}
		t.before = append(t.before, struct{ seen, paid int }{seen, f.paid})
	}
	return nil
}

// likeOf is the line of followedNetworks for a network, under its name.
func likeOf(network, token string) followed {
	like := "Ethereum" // most are EVM networks
	if token != "" {
		like = "Bitcoin"
	}
	var found followed
	for _, n := range followedNetworks {
		if n.network == network {
			return n
		}
		if n.network == like {
			found = n
		}
	}
	found.network, found.token = network, cmp.Or(token, "USDT")
	return found
}

// payable is the token of payments to us, or another one where the catalogue has none of its name.
func (f *following) payable() string {
	for _, t := range f.catalogue {
		if t.Network == f.network && t.Symbol == f.token {
			return f.token
		}
	}
	for _, t := range f.catalogue {
		if t.Network == f.network && t.Contract != "" {
			return t.Symbol
		}
	}
	return f.token
}

// pace shows blocks for so long, and waits until all are followed.
func (t *together) pace(length time.Duration) error {
	during, over := context.WithTimeout(t.ctx, length)
	defer over()
	var all sync.WaitGroup
	for _, f := range t.all {
		all.Go(func() {
			tick := time.NewTicker(f.pace)
			defer tick.Stop()
			for {
				f.growBy(1)
				f.node.show()
				select {
				case <-tick.C:
				case <-during.Done():
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(t.ctx.Err(), t.caughtUp())
}

func (t *together) caughtUp() error {
	for _, f := range t.all {
		if err := f.awaitHeight(f.node.show()); err != nil {
			return err
		}
	}
	return nil
}

func (t *together) requests() (n int64) {
	for _, f := range t.all {
		n += f.node.requests()
	}
	return n
}

// allSeen is an error unless each payment since the beginning is in the books.
func (t *together) allSeen() error {
	for i, f := range t.all {
		if err := f.wantSeen(t.before[i].seen, t.before[i].paid); err != nil {
			return fmt.Errorf("%s: %w", f.network, err)
		}
	}
	return nil
}
