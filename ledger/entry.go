// Package ledger is double entry: the chart of accounts, one pure function per business event, and the one way to write
// postings. Money is never stored beside it: balances and statements are sums and lists of postings.
package ledger

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// Precision is how many decimals an amount of a merchant has at most; a token may have fewer (addendum §6).
const Precision = 8

// Cut returns amount without the decimals finer than the ledger.
func Cut(amount decimal.Decimal) decimal.Decimal { return amount.Truncate(Precision) }

// MaxTransfer is the largest transfer a payin may have, far more than there is of any token of the catalogue: its
// credit, count and sums fit their columns, also at the price of another token. A broken contract may send more.
var MaxTransfer = decimal.New(1, 18)

// Movement is the type of a posting on the merchant's statement (api-v1 §Other operations).
type Movement string

// The movement types.
const (
	Deposit          Movement = "DEPOSIT"
	Withdrawal       Movement = "WITHDRAWAL"
	Rate             Movement = "RATE"
	Fee              Movement = "FEE"
	WithdrawalRefund Movement = "WITHDRAWAL_REFUND"
	DepositReversal  Movement = "DEPOSIT_REVERSAL"
)

// Movements lists every type in the order of the contract.
var Movements = []Movement{Deposit, Withdrawal, Rate, Fee, WithdrawalRefund, DepositReversal}

// Direction is in or out: the sign of a movement, given by its type.
func (m Movement) Direction() string {
	if m == Deposit || m == WithdrawalRefund {
		return "in"
	}
	return "out"
}

// Posting moves Amount of Asset from one account to another. Movement, Subject and Network are set when a merchant sees it.
type Posting struct {
	From     string
	To       string
	Asset    string
	Amount   decimal.Decimal
	Movement Movement
	Subject  uuid.UUID
	Network  string
}

// Entry is one business event: its postings are written once per Reference. Digest is of the postings: reconciliation
// compares the rows with it. Panel is set for something made in the panel: the API shows none of its movements.
type Entry struct {
	Reference
	Digest   []byte
	Postings []Posting
	Panel    bool
}

// entry leaves out zero postings (addendum §6), and seals the rest with a digest.
func entry(of Reference, postings ...Posting) Entry {
	kept := make([]Posting, 0, len(postings))
	text := make([]byte, 0, textBytes)
	for _, p := range postings {
		if p.Amount.IsZero() {
			continue
		}
		kept = append(kept, p)
		for _, part := range [...]string{p.From, ">", p.To, " ", p.Asset, " ", pay.DecimalText(p.Amount), " ", string(p.Movement), "\n"} {
			text = append(text, part...)
		}
	}
	sum := sha256.Sum256(text)
	return Entry{Reference: of, Digest: sum[:digestBytes:digestBytes], Postings: kept}
}

const (
	textBytes    = 512 // enough for the text of most entries
	digestBytes  = 15  // with its length a row has 16, and nothing is left between columns
	mostPostings = 15  // of an entry: a posting's number is its entry's times 16, and its place
)

// check refuses entries the database would refuse too, with a better message.
func (e Entry) check() error {
	if len(e.Postings) > mostPostings {
		return fmt.Errorf("entry %s has %d postings", e.Reference, len(e.Postings))
	}
	for _, p := range e.Postings {
		if first := e.Postings[0]; p.Movement != "" && (first.Movement == "" || p.Asset != first.Asset || p.Network != first.Network) {
			return fmt.Errorf("entry %s: the movement %s is not listed with the first posting, of another asset or network or no movement",
				e.Reference, p.Movement)
		}
		if !p.Amount.IsPositive() {
			return fmt.Errorf("entry %s: posting of %s %s from %s to %s is not positive", e.Reference, p.Amount, p.Asset, p.From, p.To)
		}
		if p.Movement != "" && !p.Amount.Equal(Cut(p.Amount)) {
			return fmt.Errorf("entry %s: movement of %s %s is finer than the ledger", e.Reference, p.Amount, p.Asset)
		}
	}
	return nil
}

// types returns the types of the entry's movements, separated by spaces. They are listed and counted together under
// them.
func (e Entry) types() string {
	var all []string
	for i := range e.Postings {
		if m := e.Postings[i].Movement; m != "" {
			all = append(all, string(m))
		}
	}
	return strings.Join(all, " ")
}
