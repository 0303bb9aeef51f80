package pay

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// MoveKind says from where to where the treasury moves money. It is the purpose of the move's transactions, too.
type MoveKind string

// The kinds of moves. Both ends are ours.
const (
	MoveSweep MoveKind = "sweep" // from a deposit address to the hot wallet
	MoveTopup MoveKind = "topup" // from the hot wallet to a deposit address: the coin for the fee of a sweep
	MoveCold  MoveKind = "cold"  // from the hot wallet to the cold address

	MoveConsolidate MoveKind = "consolidate" // many small coins of the hot wallet become one
	MovePrepare     MoveKind = "prepare"     // the address shared by payins is made ready for payers; it moves nothing
)

// The kinds of what the hot wallet does with a stake of its coin, where payments take energy. Nothing leaves it by them.
const (
	MoveStake      MoveKind = "stake"      // coin is staked
	MoveUnstake    MoveKind = "unstake"    // a part of the stake begins to come back
	MoveWithdraw   MoveKind = "withdraw"   // what has come back can be spent again
	MoveDelegate   MoveKind = "delegate"   // energy is lent to a deposit address, for a sweep
	MoveUndelegate MoveKind = "undelegate" // it is taken back
)

// MoveStatus says how far a move has come.
type MoveStatus string

// The statuses of a move.
const (
	MovePlanned   MoveStatus = "planned" // nothing is signed
	MoveSigned    MoveStatus = "signed"
	MoveSent      MoveStatus = "sent"      // the network has it
	MoveDone      MoveStatus = "done"      // its transaction is final
	MoveFailed    MoveStatus = "failed"    // nothing was moved
	MoveCancelled MoveStatus = "cancelled" // before anything was signed
)

// Open reports whether a move may still move something.
func (s MoveStatus) Open() bool { return s == MovePlanned || s == MoveSigned || s == MoveSent }

// TreasuryMove is an amount on its way from one address of ours to another.
type TreasuryMove struct {
	ID          uuid.UUID `bun:",pk"`
	Network     string
	Kind        MoveKind
	Token       string // symbol in the catalogue
	FromAddress string // in the spelling of transfers
	ToAddress   string
	Index       *uint32          // of the deposit address: the sender of a sweep or of a prepare, the recipient of a topup or a loan; nil of the others
	Amount      decimal.Decimal  // in the token; a sweep of the native coin pays its fee out of it, and so does a consolidation of its coins
	MaxFee      *decimal.Decimal // the most that it may cost, in the native coin; nil for anything
	After       *uuid.UUID       // of a topup or a delegate: the sweep that it is for
	Status      MoveStatus
	Cancelling  bool    // a person stops it: its slot is taken by a transaction that moves nothing
	Reason      *string // why it waits, has failed, or was cancelled
	Txid        *string
	Moved       *decimal.Decimal // by its transaction, in the token
	Cost        *decimal.Decimal // of its final transactions, in the native coin
	By          string           // an operator, or "rules"
	CreatedAt   time.Time        `bun:",nullzero,default:now()"`
	UpdatedAt   time.Time        `bun:",nullzero,default:now()"`
}

// ByRules is the planner's name in TreasuryMove.By.
const ByRules = "rules"
