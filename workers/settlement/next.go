package settlement

import (
	"cmp"
	"slices"

	"causeway/chains"
	"causeway/internal/pay"
)

// NextToSend returns the transaction of a payout to be sent next, or nil. For an open payout it is the last signed of those still
// minable. If the payout had ended and a reorganisation undid its end, only a transaction with the same outcome is sent, and none
// while one of them is in a block. For a completed payout it is the payment that had completed it, or the newest payment if one was
// signed since the undoing. For a refunded payout it is the cancellation. If a refunded payout has no cancellation, since its payment
// had moved nothing, it is the payment, and a cancellation is signed in its place: later nonces wait behind it.
func NextToSend(history []pay.SignedTransaction, p *pay.Payout) *pay.SignedTransaction {
	newest := NewestOpen(history, func(*pay.SignedTransaction) bool { return true })
	switch {
	case p.Status.May(pay.PayoutFailed):
		return newest
	case AnyMined(history):
		return nil
	case p.Status == pay.PayoutCompleted:
		payment := NewestOpen(history, func(t *pay.SignedTransaction) bool { return t.Purpose == pay.PurposePay })
		same := NewestOpen(history, func(t *pay.SignedTransaction) bool { return p.Txid != nil && *p.Txid == t.Txid })
		if same == nil || same.SentAt != nil && payment.SignedAt.After(*same.SentAt) { // SentAt is when it was undone
			return payment
		}
		return same
	default:
		return cmp.Or(NewestOpen(history, func(t *pay.SignedTransaction) bool { return t.Purpose == pay.PurposeCancel }), newest)
	}
}

// NewestOpen returns the transaction signed last of those that fit and may still be taken, or nil.
func NewestOpen(history []pay.SignedTransaction, fits func(*pay.SignedTransaction) bool) *pay.SignedTransaction {
	for i := len(history) - 1; i >= 0; i-- {
		if t := &history[i]; (t.State == pay.TxSigned || t.State == pay.TxSent) && fits(t) {
			return t
		}
	}
	return nil
}

// AnyMined reports whether one of a payout's transactions is in a block followed and not final.
func AnyMined(history []pay.SignedTransaction) bool {
	return slices.ContainsFunc(history, func(t pay.SignedTransaction) bool { return t.State == pay.TxMined })
}

// Stuck reports whether a transaction has been in the mempool, or signed and not taken, for longer than its network's patience.
func Stuck(n *chains.Network, t *pay.SignedTransaction) bool {
	return n.BumpAfter > 0 && (t.State == pay.TxSent || t.State == pay.TxSigned) && t.Sent > n.BumpAfter
}

// Taken reports whether a network has a transaction.
func Taken(now chains.TxStatus) bool {
	return now.State == chains.TxPending || now.State == chains.TxMined || now.State == chains.TxReverted
}
