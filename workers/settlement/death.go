package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
)

// DeathPause is how long a job waits for the recorded death of a transaction whose time is over for a node.
const DeathPause = 5 * time.Second

// AllDead reports whether something was signed, and none of it can be in a block any more.
func AllDead(signed []pay.SignedTransaction) bool {
	return len(signed) > 0 && !slices.ContainsFunc(signed, func(t pay.SignedTransaction) bool { return !t.Dead() })
}

// Died reports whether everything signed is dead, and the newest slot by a recorded death: a payout or move may be signed again. The
// network's rejection of all of a slot is no such death.
func Died(signed []pay.SignedTransaction) bool {
	if !AllDead(signed) {
		return false
	}
	newest := &signed[len(signed)-1]
	return slices.ContainsFunc(signed, func(t pay.SignedTransaction) bool { return sameSlot(&t, newest) && t.State == pay.TxExpired })
}

// InSlot returns the transactions in the slot of one of them.
func InSlot(signed []pay.SignedTransaction, of *pay.SignedTransaction) (its []pay.SignedTransaction) {
	for i := range signed {
		if sameSlot(&signed[i], of) {
			its = append(its, signed[i])
		}
	}
	return its
}

// Newer returns the newest open transaction signed after one for the same slot and purpose, or nil.
func Newer(signed []pay.SignedTransaction, than *pay.SignedTransaction) *pay.SignedTransaction {
	newest := NewestOpen(signed, func(t *pay.SignedTransaction) bool { return sameSlot(t, than) && t.Purpose == than.Purpose })
	if newest == nil || newest.Txid == than.Txid {
		return nil
	}
	return newest
}

// Needed returns the transactions of a slot whose change others may wait for. Over says that the time of the newest one is over: then
// nobody waits for long, since the slot of whoever has leased the change is dead as soon as another one is final.
func Needed(history []pay.SignedTransaction, over bool) []pay.SignedTransaction {
	if over {
		return nil
	}
	return history
}

// MayReplace reports whether another transaction may be signed for the slot of one: none of the slot is in a block, has ended, or is dead by
// a recorded death.
func MayReplace(rows []pay.SignedTransaction, number int64) bool {
	return !slices.ContainsFunc(rows, func(t pay.SignedTransaction) bool {
		switch t.State {
		case pay.TxSigned, pay.TxSent, pay.TxRejected:
			return false
		case pay.TxExpired:
			return t.Nonce == number // one of another slot was signed before
		default:
			return true
		}
	})
}

func sameSlot(a, b *pay.SignedTransaction) bool { return a.Nonce == b.Nonce && a.Address == b.Address }

// LeaveToFollower ends the job of a payout or move not to be sent now: its follower rings when a transaction of it is dead or final. The
// newest one counts as sent, whether the network has it or not, since the follower watches it from now on.
func LeaveToFollower(ctx context.Context, s *store.Store, job store.DueJob, id uuid.UUID, history []pay.SignedTransaction,
	newest *pay.SignedTransaction,
) error {
	return s.InTx(ctx, func(tx *store.Store) error {
		rows, all, err := tx.LockSlot(ctx, id)
		if err := desk.Fenced(all && AllDead(rows) == AllDead(history), err); err != nil { // a death was recorded meanwhile: this job is its ring
			return err
		}
		if newest != nil {
			if _, err := tx.MarkSigned(ctx, newest.Network, newest.Txid, pay.TxSigned, pay.TxSent, nil); err != nil { // no effect: it is already
				return err
			}
		}
		_, err = tx.FinishJob(ctx, job)
		return err
	})
}
