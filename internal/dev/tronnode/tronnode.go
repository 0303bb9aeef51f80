// Package tronnode is a fake of a full node of Tron, for tests and demonstrations. It has no peers and no consensus: one program
// makes all blocks, when it is told to or by a clock. What it is given it checks as java-tron does: the bytes of a transaction, its id,
// signature, reference block, expiration, money, bandwidth and energy. Contracts are really run, on go-ethereum's virtual machine.
//
// It differs from a node in this:
//
//   - It knows seven kinds of contracts: transfers of TRX, calls of contracts, and staking and delegating. It refuses every other one,
//     as a change of permissions.
//   - Energy is Ethereum's gas of the Petersburg rules, without the price of a transaction itself. For a transfer of USDT it is within
//     one percent of Tron's, before the contract's energy_factor: that is an option here. A test compares them.
//   - It has two contracts and takes no others: see USDT and Silent. No call moves TRX.
//   - A signature with a high s is refused: java-tron takes it.
//   - A used resource fades within a day of its last use, as it does on Tron for an account without a window of its own.
//
// README.md has its orders for tests.
package tronnode

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Rich holds most of the money, and owns the tokens. Everyone knows its key.
var Rich = KeyOf("rich")

// richBalance is what Rich holds at first: ten billion TRX, in sun.
const richBalance = 10_000_000_000 * trx

// Fees are the network's prices in sun.
type Fees struct {
	Byte     int64 // of bandwidth
	Energy   int64
	Create   int64 // for the bandwidth of a transaction that activates an account
	Activate int64 // for the new account itself
	Memo     int64 // for data in a transaction
}

// TronFees are the prices on Tron since August 2025.
var TronFees = Fees{Byte: 1_000, Energy: 100, Create: 100_000, Activate: trx, Memo: trx}

// Options say how a node differs from a plain one. The zero value is a plain one.
type Options struct {
	Name     string        // of the chain: another name is another first block
	Key      string        // wanted in the header TRON-PRO-API-KEY
	Begin    time.Time     // time of the block after the first; now, if zero
	SolidLag int           // blocks between the newest and the solid one; 19, if zero
	Every    time.Duration // the clock of blocks; if zero, they are made by Mine only
	Fees     *Fees         // TronFees, if nil
	Factor   int64         // energy_factor of USDT, in ten-thousandths
	Unfreeze int           // days until what is unfrozen can be spent; 14, if zero
}

// Node is a fake that runs.
type Node struct {
	URL string

	mu   sync.Mutex
	down bool
	late time.Duration
	mute int
	busy int
	full int
	chain
}

// New returns a node that answers as a handler. It has made enough blocks for a solid one after the first.
func New(o Options) (*Node, error) {
	contracts, err := tokens()
	if err != nil {
		return nil, err
	}
	n := &Node{}
	n.chain = chain{state: newState(), seen: map[[32]byte]bool{}, contracts: contracts,
		options: options{fees: TronFees, lag: 19, key: o.Key, limit: 15_000 * trx, delay: 14}}
	if o.Unfreeze > 0 {
		n.delay = o.Unfreeze
	}
	if o.SolidLag > 0 {
		n.lag = o.SolidLag
	}
	if o.Fees != nil {
		n.fees = *o.Fees
	}
	begin := o.Begin
	if begin.IsZero() {
		begin = time.Now().Add(-time.Duration(2*n.lag+3) * slotMs * time.Millisecond) // the time of the blocks made at once
	}
	n.found(o.Name, o.Factor, begin.UnixMilli()/slotMs*slotMs)
	return n, n.issue()
}

// Start starts a node for a test.
func Start(t testing.TB, o Options) *Node {
	t.Helper()
	n, err := New(o)
	if err != nil {
		t.Fatalf("the fake node of Tron: %v", err)
	}
	server := httptest.NewServer(n)
	stop := n.Run(o.Every)
	t.Cleanup(func() { stop(); server.Close() })
	n.URL = server.URL
	return n
}

// Behind starts another node of the same chain, some blocks behind this one, and returns its URL. It takes transactions as this one.
func (n *Node) Behind(t testing.TB, blocks int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.serve(w, r, blocks) }))
	t.Cleanup(server.Close)
	return server.URL
}

// Run makes a block each time that the clock says, until stop is called. With a clock of 0 it does nothing.
func (n *Node) Run(every time.Duration) (stop func()) {
	if every <= 0 {
		return func() {}
	}
	clock, done := time.NewTicker(every), make(chan struct{})
	go func() {
		for {
			select {
			case <-clock.C:
				n.mu.Lock()
				n.mine(time.Now().UnixMilli() / slotMs * slotMs)
				n.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { clock.Stop(); close(done) }) }
}
