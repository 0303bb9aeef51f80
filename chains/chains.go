// Package chains is the contract between Causeway and the networks: what a connector can be asked, and the registry of
// the networks that are configured. One folder per family of networks implements it; chaintest is the suite that each
// passes. Base units exist only inside a connector: amounts here are in the token, exact to the chain's last digit.
package chains

import (
	"context"
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

// Errors that every connector uses, wrapped with what was being done.
var (
	// ErrDown says that the node did not answer usefully: try again later.
	ErrDown = errors.New("the network's node is not reachable")
	// ErrShort says that the hot wallet holds too little for this payout: it stays pending until it is filled up.
	ErrShort = errors.New("the hot wallet holds too little")
	// ErrUnpayable says that the network cannot make this payout, proven before anything was signed.
	ErrUnpayable = errors.New("the network cannot make this payout")
	// ErrFormat says that an address does not fit the network.
	ErrFormat = addresses.ErrFormat
	// ErrNoToken says that an address is not that of a token.
	ErrNoToken = errors.New("no token is there")
	// ErrNotPayable says that an address is well formed, but must not be paid to (a token contract, the zero address).
	ErrNotPayable = addresses.ErrNotPayable
)

// Transfer is a movement of one token to one address. Position counts the transfers of that token within the
// transaction, so that it stays the same when the transaction is mined again elsewhere and does the same there. A contract
// may do something else then: the same place with another recipient, memo or amount is another transfer.
type Transfer struct {
	Txid     string
	Token    string // symbol in the catalogue
	Position int
	From, To string // To in the spelling of Addresser.Match
	Memo     string
	Amount   decimal.Decimal
}

// Block is what the follower needs of a block: its place in the chain, and the transfers of catalogue tokens in it.
type Block struct {
	Height       int64
	Hash, Parent string
	Time         time.Time
	Transfers    []Transfer
}

// Head says how far the network is. Transfers at or below Credit may be credited, at or below Final never vanish: in the
// chain that has the blocks of Marks, since one address may have several nodes behind it.
type Head struct {
	Height, Credit, Final int64
	Safe, Finalized       int64     // up to where blocks are by the node's tags; 0 where the rule of amounts asks for none
	Time                  time.Time // of the best block, as it says itself
	Rule                  string    // by which rule that is so now, in words
	Marks                 []Mark    // in no order
}

// Mark is a block that the same answer named.
type Mark struct {
	Height int64
	Hash   string
}

// Scanner reads blocks.
type Scanner interface {
	// Head returns the best height and how far blocks may be credited and are final by the network's rule. Its marks are the
	// best block, the one at the height followed, unless that is below zero or above the best, and whichever other blocks the answer
	// has at no cost.
	Head(ctx context.Context, followed int64) (Head, error)
	// Blocks returns the blocks from height on, in order without gaps, at most limit, fewer when there are no more.
	Blocks(ctx context.Context, from int64, limit int) ([]Block, error)
	// Hash returns the hash of the block that is at height now, or "" when there is none.
	Hash(ctx context.Context, height int64) (string, error)
	// HashBelow returns the hash of the block at a height in the chain that top is in, or "" when the node's chain is another
	// or has less. One node reads both blocks.
	HashBelow(ctx context.Context, top Mark, height int64) (string, error)
}

// Mempool reads transfers that are in no block yet. Networks without it detect transfers when they are mined.
type Mempool interface {
	Pending(ctx context.Context) ([]Transfer, error)
}

// Addresser knows the network's addresses from public data only.
type Addresser interface {
	// Validate returns the canonical spelling, or an error that wraps ErrFormat or ErrNotPayable.
	Validate(address string) (string, error)
	// Match returns the one spelling under which transfers to an address are found.
	Match(address string) string
	// Derive returns our deposit address of an index.
	Derive(ctx context.Context, index uint32) (string, error)
}

// Order is what a payout asks of a network.
type Order struct {
	To, Memo string
	Token    string // symbol in the catalogue
	Amount   decimal.Decimal
}

// Draft is a payout transaction that only lacks its nonce and signature. Sign talks to nobody.
type Draft interface {
	Sign(nonce uint64) (Signed, error)
	// Spare is what the hot wallet held beyond the order when it was prepared. What is promised to others must fit into it.
	Spare() Spare
}

// Spare is what a hot wallet held beyond an order and the most that its fee can be.
type Spare struct {
	Token decimal.Decimal // of the order's token
	Coin  decimal.Decimal // of the native coin; of an order in it, the same
	// From is the first nonce whose transaction may still be held here: all before it are in blocks, and deducted. Nil where
	// everything that the network had taken is deducted.
	From *uint64
	// Untaken is, where From is nil, the nonce after all that the network had taken: what it has taken since is not deducted.
	Untaken *uint64
	// Next is what NextNonce of a Watcher says, asked before anything is signed for the order. Nil where the network was not asked.
	Next *uint64
}

// Signed is a transaction that anyone could send.
type Signed struct {
	Txid string
	Raw  []byte
	Fee  decimal.Decimal // the most it can cost, in the native coin
}

// Outcome is the outcome of sending a transaction.
type Outcome int

// The outcomes of Broadcast. Unknown is the answer whenever it is not certain.
const (
	Unknown     Outcome = iota // it may or may not have been taken: send the same bytes again
	Accepted                   // the network has it, now or already before
	Rejected                   // the network will never take these bytes
	NotTaken                   // the node has answered, and does not take them now, which proves nothing: send the same bytes again
	Underpriced                // not taken, since they offer less than the node asks for: a higher fee helps
	NonceTaken                 // not taken, since another transaction has their nonce, which a higher fee does not give back
)

// Sender builds, signs and sends payouts from one hot wallet. Only a worker that serves the signing queue has one.
type Sender interface {
	// Prepare asks the node what signing needs to know (holdings, fees). Its errors wrap ErrDown, ErrShort or ErrUnpayable.
	Prepare(ctx context.Context, order Order) (Draft, error)
	// Cancel prepares a transaction that spends a nonce and moves nothing, at a higher fee than what is on it.
	Cancel(ctx context.Context, nonce uint64, over [][]byte) (Draft, error)
	// Bump prepares the same order again with a higher fee than what was signed before, for the same nonce.
	Bump(ctx context.Context, order Order, over [][]byte) (Draft, error)
	// Broadcast sends signed bytes. The reason is for the operator, when the outcome is not Accepted.
	Broadcast(ctx context.Context, raw []byte) (outcome Outcome, reason string)
}

// TxState is where a transaction of ours stands on its network.
type TxState int

// The states of a transaction.
const (
	TxMissing  TxState = iota // the node knows nothing of it: it may have been dropped
	TxPending                 // in the mempool
	TxMined                   // in a block of the best chain
	TxReverted                // in a block, but it moved nothing
	TxRejected                // the network has rejected it for good
)

// TxStatus is the status of a transaction, as its network reports it.
type TxStatus struct {
	State  TxState
	Height int64
	Block  string          // hash of the block at Height that it is in
	Final  bool            // the block can no longer vanish
	Fee    decimal.Decimal // what it has cost, in the native coin, once mined
	Amiss  *Amiss          // of a mined token payment that did not move what it asked for; nil of all others
}

// Amiss is what a mined token payment has moved in place of the amount that it asked for, in the token.
type Amiss struct {
	Arrived decimal.Decimal // at the recipient
	Spent   decimal.Decimal // by the hot wallet
}

// Origin says who has sent a transaction, and at which of the sender's nonces.
type Origin struct {
	Txid  string // as the network spells it; "" when the network does not know the transaction
	From  string // in the spelling of Addresser.Match
	Nonce int64
}

// Watcher looks up transactions by id, and what the hot wallet has sent.
type Watcher interface {
	Status(ctx context.Context, txids []string) (map[string]TxStatus, error)
	// Origin returns where a transaction in the mempool or in a block has come from.
	Origin(ctx context.Context, txid string) (Origin, error)
	// NextNonce returns the first nonce of the hot wallet that the chain has not used, mempool included.
	NextNonce(ctx context.Context) (uint64, error)
	// NonceAt returns the first nonce of the hot wallet that no block up to a height has. Heights that are long past need an archive node.
	NonceAt(ctx context.Context, height int64) (uint64, error)
}

// Holder tells what addresses of ours hold, for reconciliation. Height is the block it holds for.
type Holder interface {
	// Holdings returns what each address holds of a token, in the order of the addresses.
	Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error)
}
