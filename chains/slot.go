package chains

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// Exclusion is the reason why at most one transaction of a slot is ever mined (docs/decisions/0037-slots.md).
type Exclusion int

// The exclusions. Where the slot itself excludes, a replacement keeps the slot. Where only time does, another transaction is signed
// after the recorded death of the one before.
const (
	ByNumber Exclusion = iota // a counter of the account: the nonce of EVM, the sequence of Ripple, the seqno of TON
	ByCoins                   // coins spent whole: Bitcoin and its kin, Cardano, Monero
	ByExpiry                  // time alone: Tron, Solana
)

// Slot is taken by one spend of a hot wallet. The books give each slot out once.
type Slot struct {
	Number uint64 // in a row by the books; the chain's own counter where the exclusion is ByNumber
	Coins  []Coin // leased by the books where it is ByCoins. The first is in every transaction of the slot
}

// Coin is an output of the hot wallet, or of a deposit address of ours.
type Coin struct {
	ID     string // see CoinID
	Token  string // symbol in the catalogue
	Amount decimal.Decimal
	At     *Wallet // the deposit address; nil for the hot wallet itself
	Mixed  bool    // tokens of others lie in it too: it is never spent
}

// Spending is the end of a coin in a block, or in the mempool.
type Spending struct {
	Coin string // its id
	Txid string // of the transaction that spends it
}

// CoinID names an output. Where the exclusion is ByCoins, the position of a transfer is the place of its output in the transaction,
// over all tokens.
func CoinID(txid string, position int) string { return txid + ":" + strconv.Itoa(position) }
