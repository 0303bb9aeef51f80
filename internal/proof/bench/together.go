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

// together is every network followed by one worker.
type together struct {
	*arena
	all    []*following
	worker *role
	before []struct{ seen, paid int } // of each network, at the beginning
}

// measureTogether follows every network at its pace, at rest and under load, and takes the processor time of everything but the nodes.
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
	people, err := t.begin()
	if err != nil {
		return err
	}
	rest, err := t.phase("rest")
	if err != nil {
		return err
	}
	if err := t.fill(people); err != nil {
		return err
	}
	load, err := t.phase("load")
	if err != nil {
		return err
	}
	for i, f := range t.all {
		a.table.asked = append(a.table.asked, asked{f.network, f.pace, rest[i], load[i]})
	}
	a.table.add(row{what: "memory of the worker (peak)", measured: peakMemory(t.worker.cmd.Process.Pid), unit: "MB"})
	return t.allSeen()
}

// phase follows the networks for togetherFor, and returns for each how often its node was asked a minute. At rest no payin is open, and
// nobody pays us.
func (t *together) phase(name string) ([]perMinute, error) {
	if err := t.pace(10 * time.Second); err != nil { // statements are planned, and connections opened
		return nil, err
	}
	var before []asking
	for _, f := range t.all {
		before = append(before, f.node.counted())
	}
	m, began := t.meter(t.roles...), time.Now()
	profiled := t.profile(t.worker, "together-"+name)
	if err := t.pace(togetherFor); err != nil {
		return nil, err
	}
	took := time.Since(began)
	spent, worker, postgres := m.all()-m.of("load"), m.of("worker"), m.of("PostgreSQL")
	if err := profiled(); err != nil {
		return nil, err
	}
	var all perMinute
	var each []perMinute
	for i, f := range t.all {
		each = append(each, f.node.counted().since(before[i], took))
		all.requests, all.calls = all.requests+each[i].requests, all.calls+each[i].calls
	}
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / took.Seconds() }
	r := row{what: fmt.Sprintf("%d networks followed at their pace, at rest", len(t.all)), measured: share(spent), unit: "% of a core",
		cpu: fmt.Sprintf("worker %.1f %%, PostgreSQL %.1f %%", share(worker), share(postgres))}
	if !t.all[0].quiet {
		r.what = fmt.Sprintf("%d networks followed at their pace, %d payins in each block, %d addresses each", len(t.all), oursPerBlock, fewAddresses)
		r.bar, r.ceiling = mostTogether, true
	}
	t.table.add(r)
	t.table.add(row{what: "requests to all nodes, and calls in them", measured: all.requests, unit: "a minute", beside: all.calls})
	return each, nil
}

// begin starts the nodes and the roles, and waits for the first blocks. There are merchants, and no payins.
func (t *together) begin() (*people, error) {
	catalogue, err := t.store.Tokens(t.ctx)
	if err != nil {
		return nil, err
	}
	file := "networks:\n"
	for i, p := range paced {
		f := &following{arena: t.arena, followed: likeOf(p.network, p.token), addresses: fewAddresses, catalogue: catalogue}
		f.pace, f.txs, f.first, f.quiet = p.pace, p.txs, int64(i)*1_000_000, true
		f.token = f.payable()
		chain, err := f.replay(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.network, err)
		}
		f.node = serveReplay(chain)
		t.all = append(t.all, f)
		file += strings.TrimPrefix(chain.settings(f.node.url), "networks:\n")
		f.growBy(deep) // a block before the first replayed one is nobody's finality
		f.node.show()
	}
	path := filepath.Join(t.data, "networks-together.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		return nil, err
	}
	if t.worker, err = t.start([]string{"NETWORKS_FILE=" + path}, "worker", "--queues", "chain"); err != nil {
		return nil, err
	}
	people, err := t.settle()
	if err != nil {
		return nil, err
	}
	if _, err = t.start([]string{"NETWORKS_FILE=" + path}, "scheduler"); err != nil {
		return nil, err
	}
	return people, t.caughtUp()
}

// fill fills the books with payins. They are paid from now on.
func (t *together) fill(people *people) error {
	for _, f := range t.all {
		if err := f.fillFor(people); err != nil {
			return fmt.Errorf("%s: %w", f.network, err)
		}
		f.quiet = false
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

// allSeen is an error unless each payment since the beginning is in the books.
func (t *together) allSeen() error {
	for i, f := range t.all {
		if err := f.wantSeen(t.before[i].seen, t.before[i].paid); err != nil {
			return fmt.Errorf("%s: %w", f.network, err)
		}
	}
	return nil
}
