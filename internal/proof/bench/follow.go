package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"causeway/chains/cardano"
	"causeway/chains/evm"
	"causeway/chains/monero"
	"causeway/chains/ripple"
	"causeway/chains/solana"
	"causeway/chains/ton"
	"causeway/chains/tron"
	"causeway/chains/utxo"
	"causeway/internal/pay"
)

// followed is a network to be followed on blocks of its main chain's size.
type followed struct {
	network string
	size    string        // of a block, in words
	pace    time.Duration // of the network's own blocks
	bar     float64       // how many times the pace
	blocks  int           // in a round; several steps take them
	token   string        // of payments to us
	amount  string
	replay  func(f *following) (replay, error)
	most    int // of our addresses; 0 for manyAddresses
	wallets int // fixed wallets, in percent of the payins at a shared address; 0 where each payin has an address of its own
}

// followedNetworks has one network of each kind. A new connector gets a line here, and a replay.
var followedNetworks = []followed{
	{"Bitcoin", "4,000 transactions, 1.6 MB", 10 * time.Minute, 2000, 84, "BTC", "0.001", newBitcoinReplay, 0, 0},
	{"Ethereum", "200 transactions, 500 logs", 12 * time.Second, 100, 200, "USDT", "25", newEthereumReplay, 0, 0},
	{"BinanceSmartChain", "200 transactions, 500 logs", 750 * time.Millisecond, 10, 200, "USDT", "25", newEthereumReplay, 0, 0},
	{"Tron", "300 transactions, 200 of USDT", 3 * time.Second, 50, 200, "USDT", "25", newTronReplay, 0, 0},
	{"Solana", "16 slots", 16 * 400 * time.Millisecond, 2, 1, "SOL", "0.5", newSolanaReplay, 10_000, 0},
	{"Ripple", "200 transactions, 80 of XRP", 4 * time.Second, 50, 200, "XRP", "25", newRippleReplay, 0, 10},
	{"Monero", "60 transactions", 2 * time.Minute, 500, 200, "XMR", "0.5", newMoneroReplay, 10_000, 0},
	{"Cardano", "300 transactions, 900 outputs", cardanoPeriod * time.Second, 100, 100, "ADA", "25", newCardanoReplay, 0, 0},
	{"TON", "a block of the masterchain", tonPeriod * time.Second, 2, 1, "TON", "25", newTONReplay, 10_000, 100},
}

// The numbers of our addresses in the books. The cost of a block is the same with both, unless nodes are asked for addresses: then it grows
// with them.
const (
	fewAddresses  = 1000
	manyAddresses = 100_000
	mostGrowth    = 1.5 // of processor time: an index of a hundred times the entries is a level deeper
)

// oursPerBlock is how many payins a block pays.
const oursPerBlock = 3

// mostFollowing is the most memory of a worker following a network, in MB.
const mostFollowing = 200

// following is one network followed by a worker. Its node has all answers prepared.
type following struct {
	*arena
	followed
	addresses int
	catalogue []pay.Token
	ours      []string // our addresses, where they have to be of an account; none for any
	first     int64    // number of the first payin
	shared    string   // the address shared by payins with memos; "" where each has one of its own
	node      *node
	worker    *role
	txs       int             // of a block, where it is not the replay's number
	quiet     bool            // nobody pays us
	paid      int             // payments so far
	spent     []time.Duration // processor time of a block in each round, of all processes but ours
}

// measureFollow replays blocks from a node without delay. The whole step counts: connector, follower and PostgreSQL.
func (b *bench) measureFollow() error {
	for _, n := range followedNetworks {
		if b.network != "" && b.network != n.network {
			continue
		}
		few, err := b.follow(n, fewAddresses)
		if err != nil {
			return fmt.Errorf("%s: %w", n.network, err)
		}
		many, growth := cmp.Or(n.most, manyAddresses), mostGrowth
		if n.most > 0 {
			growth = float64(n.most / fewAddresses)
		}
		more, err := b.follow(n, many)
		if err != nil {
			return fmt.Errorf("%s: %w", n.network, err)
		}
		b.table.add(row{what: fmt.Sprintf("%s, a block with %d addresses beside one with %d", n.network, many, fewAddresses),
			measured: float64(more.Microseconds()), unit: "µs", beside: float64(few.Microseconds()), bar: growth, dearer: true})
	}
	return nil
}

// follow measures a network with so many addresses, and returns the processor time of a block.
func (b *bench) follow(n followed, addresses int) (each time.Duration, err error) {
	a, err := b.emptyArena("follow")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	f := &following{arena: a, followed: n, addresses: addresses}
	if err := f.begin(); err != nil {
		return 0, err
	}
	defer f.node.close()
	seen, err := f.seen()
	if err != nil {
		return 0, err
	}
	paid := f.paid
	if _, err := f.round(); err != nil { // statements are planned, and connections opened
		return 0, err
	}
	r, err := b.inRounds(f.bare, f.round)
	if err != nil {
		return 0, err
	}
	r.atLeast = n.bar / n.pace.Seconds()
	b.table.add(r)
	b.table.add(row{what: fmt.Sprintf("%s against its own pace of %v", n.network, n.pace), measured: r.measured * n.pace.Seconds(), unit: "times", atLeast: n.bar})
	if err := errors.Join(f.atPace(), f.wantSeen(seen, paid)); err != nil {
		return 0, err
	}
	b.table.add(row{what: n.network + ", memory of the worker (peak)", measured: peakMemory(f.worker.cmd.Process.Pid), unit: "MB", bar: mostFollowing, ceiling: true})
	slices.Sort(f.spent)
	return f.spent[len(f.spent)/2], nil
}

// begin starts the node and the roles, fills the books, and waits for the first block.
func (f *following) begin() (err error) {
	if f.catalogue, err = f.store.Tokens(f.ctx); err != nil {
		return err
	}
	chain, err := f.replay(f)
	if err != nil {
		return err
	}
	f.node = serveReplay(chain)
	file := filepath.Join(f.data, "networks-"+f.network+".yaml")
	if err := os.WriteFile(file, []byte(chain.settings(f.node.url)), 0o600); err != nil {
		return err
	}
	environment := []string{"NETWORKS_FILE=" + file}
	if f.worker, err = f.start(environment, "worker", "--queues", "chain"); err != nil {
		return err
	}
	if err := f.fill(); err != nil {
		return err
	}
	f.grow()
	if _, err = f.start(environment, "scheduler"); err != nil {
		return err
	}
	return f.awaitHeight(f.node.show())
}

// grow prepares the blocks of a round.
func (f *following) grow() { f.growBy(f.blocks) }

func (f *following) growBy(blocks int) {
	for range blocks {
		var pays []payee
		for range oursPerBlock {
			if !f.quiet {
				pays = append(pays, f.nextPayee())
			}
		}
		f.node.add(pays)
	}
}

// round shows the node's next blocks and waits until they are followed.
func (f *following) round() (row, error) {
	f.grow()
	m := f.meter(f.worker)
	before, err := f.allocated()
	if err != nil {
		return row{}, err
	}
	asked := f.node.requests()
	profiled := f.profile(f.worker, fmt.Sprintf("follow-%s-%d", f.network, f.addresses))
	top := f.node.show()
	if err := f.awaitHeight(top); err != nil {
		return row{}, err
	}
	took := time.Since(f.node.asked())
	after, err := f.allocated()
	if err := errors.Join(err, profiled()); err != nil {
		return row{}, err
	}
	n := float64(f.blocks)
	text := m.each(n)
	f.spent = append(f.spent, time.Duration(float64(m.all()-m.of("load"))/n))
	return row{what: fmt.Sprintf("%s followed, %s, %d addresses", f.network, f.size, f.addresses), measured: n / took.Seconds(), unit: "blocks/s",
		cpu: fmt.Sprintf("%s (load is the node); %.1f MB allocated, %.1f requests", text, (after-before)/n/(1<<20), float64(f.node.requests()-asked)/n)}, nil
}

// The measurement at a network's own pace: for how long, and of which networks.
const (
	pacedFor    = 30 * time.Second
	slowestPace = 15 * time.Second
)

// atPace shows a block at each tick of the network's own pace, and counts the node's requests.
func (f *following) atPace() error {
	if f.pace > slowestPace {
		return nil
	}
	m, asked, began, shown := f.meter(f.worker), f.node.requests(), time.Now(), 0
	tick := time.NewTicker(f.pace)
	defer tick.Stop()
	for time.Since(began) < pacedFor {
		f.growBy(1)
		if err := f.awaitHeight(f.node.show()); err != nil {
			return err
		}
		shown++
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
	}
	requests, minutes := float64(f.node.requests()-asked), time.Since(began).Minutes()
	r := row{what: fmt.Sprintf("%s at its own pace, requests to the node, %d addresses", f.network, f.addresses), measured: requests / minutes, unit: "a minute",
		cpu: m.each(float64(shown)) + " of a block"}
	f.say("%s: %.0f %s; %s", r.what, r.measured, r.unit, r.cpu)
	f.table.add(r)
	return nil
}

// seen is how many payments to us are in the books.
func (f *following) seen() (n int, err error) {
	return n, f.db.NewRaw("select count(*) from transfers where network = ? and payin_id is not null", f.network).Scan(f.ctx, &n)
}

// wantSeen is an error unless each payment since these counts is in the books.
func (f *following) wantSeen(seen, paid int) error {
	now, err := f.seen()
	if err == nil && now-seen != f.paid-paid {
		err = fmt.Errorf("%d of %d payments are in the books", now-seen, f.paid-paid)
	}
	return err
}

// awaitHeight waits until a block is followed.
func (f *following) awaitHeight(height int64) error {
	var at struct {
		Height  int64
		Problem *string
	}
	err := f.await(time.Minute, fmt.Sprintf("block %d of %s", height, f.network), func() (bool, error) {
		err := f.db.NewRaw("select (select coalesce(max(height), -1) from chain_blocks where network = ?0) as height, "+
			"(select error from followers where network = ?0) as problem", f.network).Scan(f.ctx, &at.Height, &at.Problem)
		return at.Height >= height, err
	})
	if err != nil && at.Problem != nil {
		return fmt.Errorf("%w: block %d is followed: %s", err, at.Height, *at.Problem)
	}
	return err
}

// xpubOf is the public key of a network's account.
func xpubOf(network string) (string, error) {
	n, _ := pay.NetworkNamed(network)
	driver := utxo.Driver
	switch n.Family {
	case pay.EVM:
		driver = evm.Driver
	case pay.Tron:
		driver = tron.Driver
	case pay.Solana:
		driver = solana.Driver
	case pay.Ripple:
		driver = ripple.Driver
	case pay.TON:
		driver = ton.Driver
	case pay.Monero:
		driver = monero.Driver
	case pay.Cardano:
		driver = cardano.Driver
	}
	return driver.Public([]byte("causeway bench: nothing is ever sent here"), n.Family)
}
