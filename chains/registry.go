package chains

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// Network is one configured network with the abilities of its connector in this process.
type Network struct {
	pay.Network
	Rule      Rule
	Kind      string    // Sandbox, or the family of the connector
	ChainID   uint64    // of the chain within the family, by the chain's own account; 0 where the family has one only
	Exclusion Exclusion // of its transactions
	Batch     int       // orders that one transaction may have; 0 = 1
	// BatchEvery is how long a payout waits for others to share its transaction; 0 = not at all.
	BatchEvery time.Duration
	// Ahead is how many numbers of the hot wallet may be in no block yet, where the exclusion is ByNumber; 0 = any. A node's queue has no
	// room for more.
	Ahead     int
	Expiry    int64         // the longest Signed.Until after the clock of the final block, where the exclusion is ByExpiry
	BumpAfter time.Duration // a transaction in the mempool for so long is signed again with a higher fee; 0 = never
	// StaleAfter is how far the time of the best block may be from the database's clock, before the node counts as standing
	// still; 0 = any time.
	StaleAfter time.Duration
	StartAt    int64  // the first block to follow; below zero: the head when the network is first seen
	Hot        string // the hot wallet's address, in the spelling of Match; public
	// Cold is the operator's address for what the hot wallet does not need, in the spelling of Match, from the networks file alone; "" for
	// none. What it holds counts as ours.
	Cold string
	// Collects says that the Sender spends from deposit addresses too.
	Collects bool
	// HotPays says that the hot wallet pays the fees of sweeps of tokens: their addresses need no coin.
	HotPays bool
	// SignsElsewhere says that a program or a server signs, slowly, and many transactions at the same time.
	SignsElsewhere bool
	// MoveCost returns the most that one transaction moving a token can cost now, in the native coin. Where the exclusion is ByCoins, it
	// spends one coin, for one order and the change. Nil where the treasury moves nothing.
	MoveCost func(ctx context.Context, token string) (decimal.Decimal, error)
	// TopupCost returns the most that a top-up of a deposit address can cost now, in the native coin. Nil where it is a move of the coin
	// like any other.
	TopupCost func(ctx context.Context) (decimal.Decimal, error)
	// Unprepared says what the address shared by payins lacks for its payers, "" for nothing. The error wraps ErrShort where it must be paid
	// first. Nil where nothing has to be prepared.
	Unprepared func(ctx context.Context) (lacks string, err error)
	// Keeps returns the coin that stays at each deposit address, such as the reserve of an account. Nil where all of it can be moved.
	Keeps func(ctx context.Context) (decimal.Decimal, error)
	// CoinCost returns what one more coin spent in a transaction costs now. Nil unless the exclusion is ByCoins.
	CoinCost func(ctx context.Context) (decimal.Decimal, error)
	// Resources tells what the hot wallet has beside its coin, and what payments take of it. Nil where the chain has fees alone.
	Resources func(ctx context.Context) (*Resources, error)
	// Staking is for a hot wallet that stakes its coin. Nil where nothing is staked.
	Staking Staking
	// Contracts are the contracts of the catalogue watched by the connector since it was opened, by symbol. Nil where it asks
	// the catalogue for none.
	Contracts map[string]string
	Caps      map[string]Cap // of the signer, by token; no database and no console raises them
	Nodes     func() []Node  // of this process, in the order of their list; nil if it asks none
	// Replace has other nodes asked from the next question on. Nil where this takes a restart.
	Replace   func(addresses []string)
	Addresser Addresser
	Scanner   Scanner
	Mempool   Mempool // nil where the network shows none
	Watcher   Watcher
	Counter   Counter // nil unless the exclusion is ByNumber
	Holder    Holder
	// Unspent returns the hot wallet's coins at a height, once: before the first followed block. Nil unless the exclusion is ByCoins.
	Unspent func(ctx context.Context, height int64) ([]Coin, error)
	// Copy says which of our transactions a mined one is a copy of: it does the same under another id. It returns the copy's bytes,
	// and -1 for none. Nil where nobody else can change an id.
	Copy func(ctx context.Context, txid string, ours [][]byte) (of int, raw []byte, err error)
	// Coins returns what each address holds of the native coin at a height, cheaply. Nil where the connector sees all coin that comes.
	Coins func(ctx context.Context, addresses []string, height int64) ([]decimal.Decimal, error)
	// Confirm reports whether a second node tells transfers of a block in the same way. Nil where a block proves what is in it.
	Confirm func(ctx context.Context, block Mark, transfers []Transfer) (bool, error)
	Tokens  TokenBook // nil where the connector asks the catalogue itself
	Sender  Sender    // nil where this process may not sign
	// Called is how payers' wallets call the chain, where it may be another than the network's name says; "" otherwise.
	Called string
	// AskFor names the deposit addresses that payments are awaited at, in the spelling of Match. Nil where blocks are read whole.
	AskFor func(addresses func(ctx context.Context) ([]string, error))
	// Reach names the newest deposit addresses, in the spelling of Match. Nil unless the connector recognises them by their number: it
	// knows all those before, too.
	Reach func(newest func(ctx context.Context) ([]string, error))
	// Recall names the blocks that the books remember. Nil where nodes find blocks by their height.
	Recall func(marks func(ctx context.Context) ([]Mark, error))
	// Apart names the coins of the books that lie at another form of an address of ours (Transfer.Plain), as of the block at a height. Nil
	// where an address has one form.
	Apart func(coins func(ctx context.Context, height int64) ([]string, error))
	// URI writes a payment for the camera of a payer's wallet. Without a form that is safe it returns the plain address, and false.
	URI func(Payment) (text string, ok bool)
	// Explain returns the address of a transaction's page in an explorer, "" for none. Nil where the network has no explorer.
	Explain func(txid string) string
}

// Node is one of the nodes by which a process reads a network. Its address is a secret.
type Node struct {
	Requests int64 // sent to it by this process
	Failures int64 // how often it was left for the next one, or would have been
	Used     bool  // it is the one asked now
	Left     bool  // it is left alone now
}

// Sandbox is the Kind of simulated networks.
const Sandbox = "sandbox"

// Worthwhile is how often a coin must be worth the fee of spending it. A connector leaves the others where they are.
const Worthwhile = 3

// Treasury reports whether the treasury moves money here: from deposit addresses, or from the coins of the hot wallet.
func (n *Network) Treasury() bool {
	return n.MoveCost != nil && (n.Collects || n.Exclusion == ByCoins)
}

// Simulated reports whether the network is simulated: no real money is on it.
func (n *Network) Simulated() bool { return n.Kind == Sandbox }

// HotAddress is Hot as people write it, with a checksum if the spelling has one: for payers to the hot wallet.
func (n *Network) HotAddress() string {
	if written, err := n.Addresser.Validate(n.Hot); err == nil {
		return written
	}
	return n.Hot
}

// Chain says in words which chain stands behind the network. Books follow one chain of each network for good.
func (n *Network) Chain() string { return chainOf(n.Kind, n.ChainID) }

func chainOf(kind string, id uint64) string {
	if id == 0 {
		return kind
	}
	return fmt.Sprint(kind, " ", id)
}

// Registry is the set of configured networks.
type Registry struct {
	byName map[string]*Network
	order  []*Network
}

// NewRegistry makes a registry of networks in their order; a name given twice is an error.
func NewRegistry(networks ...*Network) (*Registry, error) {
	r := &Registry{byName: make(map[string]*Network, len(networks))}
	for _, n := range networks {
		if _, twice := r.byName[n.Name]; twice {
			return nil, fmt.Errorf("network %s is configured twice", n.Name)
		}
		r.byName[n.Name] = n
		r.order = append(r.order, n)
	}
	return r, nil
}

// Network returns the network of a canonical name.
func (r *Registry) Network(name string) (*Network, bool) {
	n, ok := r.byName[name]
	return n, ok
}

// All returns every network in order.
func (r *Registry) All() []*Network { return r.order }

// Live names the networks that are not simulated.
func (r *Registry) Live() (names []string) {
	for _, n := range r.order {
		if !n.Simulated() {
			names = append(names, n.Name)
		}
	}
	return names
}

// OfFamily returns a network with an addresser for the family: a live one before a sandbox one, so one address serves every
// network of its type (addendum §9).
func (r *Registry) OfFamily(family pay.Family) (*Network, bool) {
	var found *Network
	for _, n := range r.order {
		if n.Family == family && (found == nil || found.Simulated() && !n.Simulated()) {
			found = n
		}
	}
	return found, found != nil
}

// Start returns the first block to follow, for a network never followed.
func (n *Network) Start(head Head) int64 {
	if n.StartAt < 0 {
		return head.Height
	}
	return n.StartAt
}
