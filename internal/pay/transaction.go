package pay

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SignedState is where one signed transaction stands.
type SignedState string

// The states of a signed transaction.
const (
	TxSigned   SignedState = "signed"   // saved; may or may not have been sent
	TxSent     SignedState = "sent"     // the network has it
	TxRejected SignedState = "rejected" // the network will never take it
	TxMined    SignedState = "mined"
	TxFinal    SignedState = "final"
	TxReverted SignedState = "reverted" // final, but it moved nothing
	TxReplaced SignedState = "replaced" // another of the same slot is final
	TxExpired  SignedState = "expired"  // dead by a final block: no block up to its last moment has it, or one of its coins can never exist
)

// Purposes of a signed transaction.
const (
	PurposePay    = "pay"    // to pay the payout
	PurposeCancel = "cancel" // to take the slot without paying the payout, so the payout can no longer be paid
	PurposeVoid   = "void"   // to take the slot of a move without moving anything; else the purpose of a move is its MoveKind
)

// SignedTransaction is one transaction ever signed for a payout or a move, kept with its bytes before it is
// sent. Several of one payout share a slot: at most one of them can ever be mined. A transaction for several payouts has one for each, at its Place.
type SignedTransaction struct {
	Network  string    `bun:",pk"`
	Txid     string    `bun:",pk"`
	Place    int       `bun:",pk"`
	PayoutID uuid.UUID // or the id of a TreasuryMove
	Purpose  string    // PurposePay, PurposeCancel, PurposeVoid, or a MoveKind
	Address  string    // the hot wallet, or the deposit address of a sweep
	Nonce    int64     // number of the slot
	Raw      []byte
	Fee      decimal.Decimal // the most it can cost, in the native coin; zero but at the first place
	Until    *int64          // the last time it can be in a block, by the network's clock; nil: any
	State    SignedState
	TakenBy  *string    // txid unknown to our books; took its nonce last, though a reorganisation may have undone it
	Height   *int64     // the block it is in; of an expired one, the final block as proof
	Block    *uuid.UUID // the hash of that block as a UUID, until it is final
	SignedAt time.Time
	SentAt   *time.Time
	Sent     time.Duration `bun:",scanonly"` // ago, by the database's clock; before it is sent, since it was signed
}

// OfMove reports whether it was signed for a move of the treasury.
func (t *SignedTransaction) OfMove() bool {
	return t.Purpose != PurposePay && t.Purpose != PurposeCancel
}

// Dead reports whether it can never be in a block, though no other of its slot is.
func (t *SignedTransaction) Dead() bool { return t.State == TxExpired || t.State == TxRejected }
