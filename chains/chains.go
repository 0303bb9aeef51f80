// Package chains is the contract between Causeway and the networks: the questions to a connector, and the registry of the
// configured networks. One folder per family of networks implements it; chaintest is the suite for each of them. Base units
// exist only inside a connector: amounts here are in the token, exact to the chain's last digit.
package chains

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

// Errors of every connector, wrapped with the act that failed.
var (
	// ErrDown says that the node did not answer usefully: try again later.
	ErrDown = errors.New("the network's node is not reachable")
	// ErrShort says that the hot wallet holds too little for this payout: it stays pending until it is filled up.
	ErrShort = errors.New("the hot wallet holds too little")
	// ErrUnpayable says that the network cannot make this payout, proven before anything was signed.
	ErrUnpayable = errors.New("the network cannot make this payout")
	// ErrFormat says that an address does not fit the network.
	ErrFormat = addresses.ErrFormat
	// ErrNoToken says that an address is no token's.
	ErrNoToken = errors.New("no token is there")
	// ErrNotPayable says that an address is well formed, but must not be paid to (a token contract, the zero address).
	ErrNotPayable = addresses.ErrNotPayable
)

// Short is an ErrShort that says what is missing.
type Short struct {
	Token   string          // symbol in the catalogue
	Missing decimal.Decimal // at least so much more has to be there
	// Offer is a loan of the hot wallet that costs less than the missing coin. Nil for none. Only where Network.Staking is.
	Offer *Offer
}

func (e *Short) Error() string {
	return fmt.Sprintf("%s: %s %s are missing", ErrShort, e.Missing, e.Token)
}

func (e *Short) Unwrap() error { return ErrShort }

// Transfer is a movement of one token to one address. Position counts the transfers of the token within the transaction, so it
// stays the same when the transaction is mined again elsewhere and does the same there. A contract may do something else then:
// the same place with another recipient, memo or amount is another transfer.
type Transfer struct {
	Txid     string
	Token    string // symbol in the catalogue
	Position int
	From, To string // in the spelling of Addresser.Match. From is "" where coins name no sender, To where a script has no address
	Memo     string // of anybody, in UTF-8 without a zero byte: the books could not keep it, and would follow no further
	Amount   decimal.Decimal
	// Plain is the address of To's key alone, where To has more than this key; in the spelling of Addresser.Match. If Plain is an address of
	// ours, the money is ours there. Only where the exclusion is ByCoins.
	Plain string
	// Mixed says that tokens of others lie in the same coin. It is credited, and its coin is not spent. Only where the exclusion is ByCoins.
	Mixed bool
	// Beside says that it is no payment: native coin that came along with another transfer, as with a notice of a token, or back from
	// another's contract or chain, as a deposit for storage. It is booked for the operator.
	Beside bool
}

// Cost is native coin taken from an address of ours by a transaction of others, as the gas and storage of a contract of ours that was
// called. A transaction has at most one for each address.
type Cost struct {
	Txid    string
	Address string // in the spelling of Addresser.Match; of anybody
	Amount  decimal.Decimal
}

// Block is a block as the follower needs it: its place in the chain, and its transfers of catalogue tokens.
type Block struct {
	Height       int64
	Hash, Parent string
	Time         time.Time
	Transfers    []Transfer
	// Spent are all coins spent in it, of anybody. Only where the exclusion is ByCoins.
	Spent []Spending
	// Sent are the transactions in it by their senders, also those that moved nothing. One with several senders is named for each, first
	// for the payer of its fee. It misses none of the hot wallet and, where
	// Network.Collects, none of our deposit addresses: the proof that a transaction is dead rests on it. Others may be there as well.
	// Only where the exclusion is ByExpiry.
	Sent []Sending
	// Costs are what transactions not signed by us have taken in it from the addresses that they reached.
	Costs []Cost
}

// Sending is a transaction and the address that has sent it.
type Sending struct {
	Txid string
	From string // in the spelling of Addresser.Match
}

// Head says how far the network is. Transfers at or below Credit may be credited, at or below Final never vanish. This holds
// for the chain with the blocks of Marks, since one address may have several nodes behind it.
type Head struct {
	Height, Credit, Final int64
	Clock                 int64     // of the final block, in the unit of Signed.Until; only where the exclusion is ByExpiry
	Safe, Finalized       int64     // up to where blocks are by the node's tags; 0 where the rule of amounts asks for none
	Time                  time.Time // of the best block, as it says itself
	Rule                  string    // the rule in force now, in words
	Marks                 []Mark    // in no order
	// Agreed is up to where a second node has the same blocks: Credit and the others are not above it. Nil where no second node was
	// asked, or none answers.
	Agreed *int64
	// Dispute says, for the operator, which nodes contradict each other above Agreed; "" for none.
	Dispute string
}

// Mark is a block named in the same answer.
type Mark struct {
	Height int64
	Hash   string
}

// Scanner reads blocks.
type Scanner interface {
	// Head returns the best height and how far blocks may be credited and are final by the network's rule. Its marks are the
	// best block, the one at the height followed, unless that is below zero or above the best, and any other blocks the answer
	// has at no cost.
	Head(ctx context.Context, followed int64) (Head, error)
	// Blocks returns the blocks from height on, in order without gaps, at most limit, fewer when there are no more or an answer was lost.
	Blocks(ctx context.Context, from int64, limit int) ([]Block, error)
	// Hash returns the hash of the block at height now, or "" when there is none.
	Hash(ctx context.Context, height int64) (string, error)
	// HashBelow returns the hash of the block at a height in the chain of top, or "" when the node's chain is another or has
	// less. One node reads both blocks.
	HashBelow(ctx context.Context, top Mark, height int64) (string, error)
}

// Unmined is what the mempool has, as a block would tell it.
type Unmined struct {
	Transfers []Transfer
	Spent     []Spending
}

// Mempool reads transfers in no block yet. Networks without it detect transfers when they are mined.
type Mempool interface {
	Pending(ctx context.Context) (Unmined, error)
}

// Addresser knows the network's addresses from public data only.
type Addresser interface {
	// Validate returns the canonical spelling, or an error wrapping ErrFormat or ErrNotPayable.
	Validate(address string) (string, error)
	// Match returns the one spelling used to find transfers to an address.
	Match(address string) string
	// Derive returns our deposit address of an index.
	Derive(ctx context.Context, index uint32) (string, error)
}

// Order is a payout in the network's terms.
type Order struct {
	To, Memo string
	Token    string // symbol in the catalogue
	Amount   decimal.Decimal
}

// Wallet is a deposit address of ours to spend from.
type Wallet struct {
	Address string // in the spelling of Addresser.Match
	Index   uint32 // of Addresser.Derive
}

// Spend is the order for one transaction of the hot wallet, or of a deposit address.
type Spend struct {
	From   *Wallet // nil for the hot wallet; only where Network.Collects
	Orders []Order // at most Network.Batch; none only takes the slot, and moves nothing
	// Most says that the one order is for all there is: of the native coin, the highest fee comes out of its amount.
	Most bool
	// Gather is how many of the smallest coins worth their fee are made one coin of the hot wallet. There are no orders then. Only where
	// the exclusion is ByCoins; 0 for none.
	Gather int
	// Act is what is done with the one order, of the hot wallet; "" is to pay it.
	Act Act
	// To is the deposit address that a loan goes to, or comes back from; nil for other acts.
	To *Wallet
	// Over are the bytes signed for the same slot before, in no order. The transaction takes their slot and beats their fees. None
	// for a new slot.
	Over [][]byte
	// Gone are those coins of Over that are in no block any more. The transaction leaves them out; the first coin of the slot is never
	// among them. Only where the exclusion is ByCoins.
	Gone []Coin
}

// Draft is a transaction without its slot and signature. Sign talks to no node, but to ask what the coins of the slot are. It may ask
// the operator's signer, and takes long then.
type Draft interface {
	// Sign returns the same bytes each time it is called with the same slot. Another draft of the same spend may have others: a
	// signer elsewhere need not repeat itself. So bytes are saved before they are sent, and those saved are sent.
	Sign(slot Slot) (Signed, error)
	// Spare is the hot wallet's balance beyond the orders when they were prepared. Money promised to others must fit into it.
	Spare() Spare
}

// Chooser is a Draft of a network where the exclusion is ByCoins.
type Chooser interface {
	Draft
	// Choose picks the coins to spend, beside those of the spend's Over. It talks to nobody. The first coin of a new slot is one of the
	// hot wallet if any is free. The error wraps ErrShort if the free coins are too little.
	Choose(free []Coin) ([]Coin, error)
}

// Spare is a hot wallet's balance beyond an order and the highest possible fee of the order. Where the exclusion is ByCoins nothing
// of it counts: the free coins are the balance.
type Spare struct {
	Token decimal.Decimal // of the order's token
	Coin  decimal.Decimal // of the native coin; of an order in it, the same
	// From is the first slot with a transaction possibly still held here: all before it are in blocks, and deducted. Nil where
	// everything taken by the network is deducted.
	From *uint64
	// Untaken is, where From is nil, the slot after everything the network had taken: later transactions are not deducted.
	Untaken *uint64
	// Next is the answer of a Counter's NextNonce, asked before anything is signed for the order. Nil where the network was not
	// asked.
	Next *uint64
}

// Signed is a transaction ready to be sent by anyone.
type Signed struct {
	Txid string
	Raw  []byte
	Fee  decimal.Decimal // the most it can cost, in the native coin
	// Until is the last time it can be in a block, on the clock of Head. Nil where it is valid for ever.
	Until *int64
}

// Outcome is the outcome of sending a transaction.
type Outcome int

// The outcomes of Broadcast. Unknown is the answer whenever it is not certain.
const (
	Unknown     Outcome = iota // it may or may not have been taken: send the same bytes again
	Accepted                   // the network has it, now or already before
	Rejected                   // the network will never take these bytes
	NotTaken                   // the node has answered, and does not take them now. This proves nothing: send the same bytes again
	Underpriced                // not taken, since they offer less than the node asks for: a higher fee helps
	SlotTaken                  // not taken: another transaction has their number or a coin of theirs, and a higher fee does not give it back
	Expired                    // not taken: their time is over by the node's clock. This is no proof that they are in no block
)

// Sender builds, signs and sends payouts from one hot wallet. Only a worker on the signing queue has one.
type Sender interface {
	// Prepare asks the node for the facts needed to sign (holdings, fees). Its errors wrap ErrDown, ErrShort or ErrUnpayable.
	Prepare(ctx context.Context, spend Spend) (Draft, error)
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
	Block  string          // hash of its block at Height
	Final  bool            // the block can no longer vanish
	Fee    decimal.Decimal // its cost, in the native coin, once mined
	Amiss  *Amiss          // of a mined token payment with another move than ordered; nil of all others
	Way    *Way            // of a payment that another block than its own brings to an address of ours, or back to one; nil of all others
}

// Way is the way of a payment from one address of ours to another, where it leaves the one in a block and reaches the other in a later
// one. In between neither holds it. Of a transaction that has moved nothing it is the way back of what nobody took.
type Way struct {
	Arrives int64           // the height of the later block; 0 while there is none
	Amount  decimal.Decimal // in the token of the order
}

// On reports whether the payment is on its way after the block at a height, if its own block is not above that.
func (w *Way) On(height int64) bool { return w != nil && (w.Arrives == 0 || w.Arrives > height) }

// Amiss is the move of a mined token payment in place of the amount ordered, in the token.
type Amiss struct {
	Arrived decimal.Decimal // at the recipient
	Spent   decimal.Decimal // by the hot wallet
}

// Origin names the sender of a transaction, and the sender's nonce.
type Origin struct {
	Txid  string // as the network spells it; "" when the network does not know the transaction
	From  string // in the spelling of Addresser.Match
	Nonce int64
}

// Watcher looks up transactions by id.
type Watcher interface {
	Status(ctx context.Context, txids []string) (map[string]TxStatus, error)
}

// Counter tells an address's own count of its transactions, where the exclusion is ByNumber. Addresses are in the spelling of
// Addresser.Match.
type Counter interface {
	// Origin returns where a transaction in the mempool or in a block has come from.
	Origin(ctx context.Context, txid string) (Origin, error)
	// NextNonce returns the first number of an address unused on the chain, mempool included.
	NextNonce(ctx context.Context, address string) (uint64, error)
	// NonceAt returns the first number of an address unused in the blocks up to a height. Heights long past need an archive node.
	NonceAt(ctx context.Context, address string, height int64) (uint64, error)
}

// Holder tells the balances of our addresses, for reconciliation. Height is the block of the balances.
type Holder interface {
	// Holdings returns each address's balance of a token, in the order of the addresses.
	Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error)
}
