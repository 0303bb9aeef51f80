// Package rippled is a fake of a rippled, a node of the XRP Ledger, for tests and demonstrations. It has no peers and no consensus: one
// program makes all ledgers, when it is told to or by a clock, and each is validated at once. What it is given it checks as rippled does:
// the bytes of a transaction, its id, signature and key, Sequence, LastLedgerSequence, Fee, reserves, and destination tags. Ledgers have
// the real hashes of their headers and trees of transactions.
//
// It differs from a node in this:
//
//   - It takes Payments of XRP and AccountSets alone. Payments of issued currencies, partial payments, and the transactions AccountDelete
//     and EscrowFinish are only played by its own keys (see PayPartly and its neighbours): their money is as they say, and there are no
//     trust lines behind it.
//   - Only the master key of an account signs for it. There are no tickets, signer lists or delegates.
//   - The hash of a ledger's state is made up. So a header is whole, and the state behind it cannot be proven.
//   - Transactions are shown in binary alone, but for the answer to submit.
//   - A queued transaction is applied as soon as the open ledger is cheap enough for it. There is no escalation of fees by itself: Load
//     orders one.
//   - It never tells of a ledger that is closed and not validated.
//
// README.md has its orders for tests.
package rippled

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Rich holds most of the money. Everyone knows its key.
var Rich = KeyOf("rich")

// drops are the drops of one XRP.
const drops = 1_000_000

// richBalance is what Rich holds at first: all XRP there is.
const richBalance = 100_000_000_000 * drops

// Network is the network id of a plain fake. Ids above 1024 are named in each transaction, so none of a fake's is one of another chain.
const Network = 21_338

// Options say how a node differs from a plain one. The zero value is a plain one.
type Options struct {
	Name      string        // of the chain: another name is another first ledger
	Network   int           // its network id; Network, if zero, and 0 (the main one), if negative
	Begin     time.Time     // close time of the first ledger; some minutes ago, if zero
	Every     time.Duration // the clock of ledgers; if zero, they are made by Close only
	BaseFee   int64         // in drops; 10, if zero
	Reserve   int64         // of an account, in drops; 1 XRP, if zero
	Increment int64         // for each object of an account, in drops; 0.2 XRP, if zero
}

// Node is a fake that runs.
type Node struct {
	URL string

	mu sync.Mutex
	chain
}

// New returns a node that answers as a handler. It has made a few ledgers.
func New(o Options) *Node {
	n := &Node{}
	n.chain = newChain(o)
	return n
}

// Start starts a node for a test.
func Start(t testing.TB, o Options) *Node {
	t.Helper()
	n := New(o)
	server := httptest.NewServer(n)
	stop := n.Run(o.Every)
	t.Cleanup(func() { stop(); server.Close() })
	n.URL = server.URL
	return n
}

// Run makes a ledger each time that the clock says, until stop is called. With a clock of 0 it does nothing.
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
				n.close(rippleTime(time.Now()))
				n.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { clock.Stop(); close(done) }) }
}

// epoch is the beginning of the XRP Ledger's clock, in seconds of Unix.
const epoch = 946_684_800

func rippleTime(t time.Time) uint32 { return uint32(max(t.Unix()-epoch, 1)) }
