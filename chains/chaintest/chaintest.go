// Package chaintest is the suite for every connector. A connector's test opens a fresh network and hands over functions to act
// on it from outside; the suite then checks everything the workers rely on.
package chaintest

import (
	"context"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// Token is a token moved by the suite.
type Token struct {
	Symbol   string
	Decimals int32 // on chain
}

// Payment is money from a stranger.
type Payment struct {
	Token, To, Memo string
	Amount          decimal.Decimal
}

// Chain is a fresh network. Its blocks come only by Mine and Reorg. Its hot wallet holds at least 1,000 of every token and
// enough of the native coin for fees. Where the exclusion is ByCoins, strangers hold 300 more.
type Chain struct {
	Network  *chains.Network // with a Sender
	Tokens   []Token         // the native coin first
	Foreign  string          // a well-formed address of another family
	Gas      decimal.Decimal // of the native coin, enough for a sweep of a token from a deposit address; zero is 3
	Keeps    bool            // where coins exclude: nodes keep the first transaction of a coin, and a dearer one does not replace it
	Shuffled bool            // the outputs and the coins of a transaction come in any order
	Ripe     int             // blocks beside its own after which a coin may be spent
	Refuses  bool            // nothing is signed with a coin that is spent, in a block or in the mempool
	Unseen   bool            // nodes show nothing of a transaction before its block is final
	Change   string          // where strangers' change goes, in the spelling of Match; "" where they have none

	// Pay sends from a stranger's wallet into the mempool.
	Pay func(t testing.TB, p Payment) (txid string)
	// Mine adds blocks; the first one takes the whole mempool.
	Mine func(t testing.TB, blocks int)
	// Reorg replaces the newest blocks by at least one more. Transactions in drop vanish, and are in the mempool neither;
	// the others are mined again. Nil where each block is final at once.
	Reorg func(t testing.TB, depth int, drop ...string)
	// Outlast has the mempool forgotten, and mines until no block can have what was in it. Nil where a dearer transaction replaces one in the
	// mempool.
	Outlast func(t testing.TB)
}

// sending are the tests of payouts on every network.
var sending = []test{
	{"a payout goes through its states", (*suite).payout},
	{"a payout is exact", (*suite).exact},
	{"an unknown txid is missing", (*suite).unknown},
	{"bad orders are refused", (*suite).refusals},
	{"holdings add up", (*suite).holdings},
}

// undoing are the tests of payouts where blocks can be undone.
var undoing = []test{
	{"dropped transfers are gone", (*suite).dropped},
	{"a dropped payout goes out again", (*suite).again},
}

// excluding are the tests of slots, by the exclusion of the network.
var excluding = map[chains.Exclusion][]test{
	chains.ByNumber: {
		{"a nonce is spent once", (*suite).nonces},
		{"a bump replaces", (*suite).bump},
		{"a cancel moves nothing", (*suite).cancel},
	},
	chains.ByCoins: {
		{"a coin is spent once", (*suite).coinOnce},
		{"a batch pays everybody", (*suite).batch},
		{"coins are exact", (*suite).coins},
		{"a coin spent elsewhere is gone", (*suite).spentElsewhere},
		{"small coins are gathered", (*suite).gathers},
		{"coins are gathered without orders", (*suite).gathersAlone},
		{"coins of deposit addresses are spent", (*suite).spendsDeposits},
		{"a replacement leaves out a coin that is gone", (*suite).leavesOut},
	},
	chains.ByExpiry: {
		{"a slot is signed again once its time is over", (*suite).expires},
		{"nothing is replaced", (*suite).irreplaceable},
		{"blocks name what was sent", (*suite).sentInBlocks},
		{"the clock never goes back", (*suite).clock},
	},
}

// replacing are the tests of coins where nodes replace a transaction by a dearer one, and keeping those where they keep the first.
var (
	replacing = []test{
		{"a bump replaces", (*suite).bump},
		{"a cancel moves nothing", (*suite).cancel},
		{"a replacement may drop a payee", (*suite).dropsPayee},
	}
	keeping = []test{
		{"the first transaction of a coin stays", (*suite).keepsFirst},
	}
)

// collecting are the tests of a network whose Sender spends from deposit addresses.
var collecting = []test{
	{"a sweep of a token moves all and leaves the rest of the coin", (*suite).sweepsToken},
	{"a sweep of the coin leaves at most the fee's spare", (*suite).sweepsCoin},
	{"a sweep is of the address it names", (*suite).sweepsItsOwn},
}

// sweepsAgain are the tests of another sweep in the slot of one, by the exclusion of the network.
var sweepsAgain = map[chains.Exclusion][]test{
	chains.ByNumber: {{"a sweep is replaced for the same number", (*suite).replacesSweep}},
	chains.ByExpiry: {
		{"a sweep is signed again once its time is over", (*suite).sweepExpires},
		{"blocks name what deposit addresses have sent", (*suite).sweepsInBlocks},
	},
}

// Run runs the suite. open makes a network of its own for each test, and one to see its abilities.
func Run(t *testing.T, open func(t *testing.T) Chain) {
	Reading(t, open)
	seen := open(t)
	tests := append(slices.Clone(sending), excluding[seen.Network.Exclusion]...)
	if seen.Reorg != nil {
		tests = append(tests, undoing...)
	}
	switch {
	case seen.Network.Exclusion != chains.ByCoins:
	case seen.Keeps:
		tests = append(tests, keeping...)
	default:
		tests = append(tests, replacing...)
	}
	if seen.Network.Collects {
		tests = append(append(tests, collecting...), sweepsAgain[seen.Network.Exclusion]...)
		if !seen.Network.HotPays {
			tests = append(tests, test{"a sweep without gas says what is missing", (*suite).sweepsWithoutGas})
		}
	}
	for _, test := range tests {
		test.on(t, func(t *testing.T) Chain {
			c := open(t)
			c.endow(t)
			return c
		})
	}
}

// endow gives a hot wallet with coins several of them: each is in one slot at a time.
func (c Chain) endow(t *testing.T) {
	t.Helper()
	if c.Network.Exclusion != chains.ByCoins {
		return
	}
	for range 3 {
		c.Pay(t, Payment{Token: c.Tokens[0].Symbol, To: c.Network.HotAddress(), Amount: decimal.NewFromInt(100)})
	}
	c.Mine(t, 1)
}

// Reading runs the tests of a connector that has an Addresser and a Scanner alone, as each has at first.
func Reading(t *testing.T, open func(t *testing.T) Chain) {
	tests := []test{
		{"heads never lie", (*suite).heads},
		{"blocks are linked", (*suite).links},
		{"transfers are exact", (*suite).transfers},
		{"memos arrive", (*suite).memos},
		{"addresses derive, validate and match", (*suite).addresses},
		{"a payer's wallet is told the address", (*suite).uris},
	}
	if open(t).Reorg == nil {
		tests = append(tests, test{"blocks are final at once", (*suite).finalAtOnce})
	} else {
		tests = append(tests, test{"blocks become final", (*suite).finality},
			test{"reorganisations change hashes and keep transfers", (*suite).reorganised})
	}
	for _, test := range tests {
		test.on(t, open)
	}
}

// test is one test of the suite.
type test struct {
	name string
	run  func(*suite)
}

func (c test) on(t *testing.T, open func(t *testing.T) Chain) {
	t.Run(c.name, func(t *testing.T) {
		t.Parallel()
		s := &suite{T: t, Chain: open(t), ctx: t.Context(), leased: map[string]bool{}}
		s.begin = max(1, s.head().Height-undoneAtMost)
		c.run(s)
	})
}

// undoneAtMost is how many blocks from before a test it may undo.
const undoneAtMost = 10

// suite is one test on one network.
type suite struct {
	*testing.T
	Chain
	ctx     context.Context
	begin   int64           // the first block to look at again and again
	numbers uint64          // slots given out, where the chain does not number them
	leased  map[string]bool // coins of slots
}
