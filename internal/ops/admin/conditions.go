package admin

import (
	"fmt"

	"causeway/internal/message"
	"causeway/internal/store"
)

// Conditions are what operators are told of by messages, of the problems that Troubles lists. A sentence has no amount and no address,
// and stays the same while the condition lasts: nobody pays to an address out of a mail.
func (h *Health) Conditions() (out []store.Condition) {
	add := func(topic message.Topic, told string, args ...any) {
		out = append(out, store.Condition{Topic: string(topic), Told: fmt.Sprintf(told, args...)})
	}
	h.booksDiffer(add)
	h.payoutsWait(add)
	for i := range h.Networks {
		f := &h.Networks[i]
		if _, mood := Following(f); mood == "bad" || f.Lag() > lateBlocks || f.Held > 0 {
			add(message.NetworkLags, "%s is not followed as it should be.", f.Network)
		}
	}
	for i := range h.Holdings {
		if w := &h.Holdings[i]; w.Missing.IsPositive() {
			add(message.WalletLow, "The hot wallet of %s has too little %s for the queued payouts.", w.Network, w.Asset)
		}
	}
	for _, d := range h.Debts {
		add(message.Other, "Merchant %s owes %s.", d.Merchant, d.Asset)
	}
	for _, j := range h.Jobs {
		if j.OldestDueMS > lateJobMS {
			add(message.Other, "Jobs of the kind %s are late.", j.Kind)
		}
	}
	if len(h.Unpriced) > 0 {
		add(message.Other, "Tokens have no price.")
	}
	if h.Waits.Unclaimed > 0 {
		add(message.Other, "Transfers are unclaimed.")
	}
	return out
}

// booksDiffer adds what stops assets and wallets, and differences of the books.
func (h *Health) booksDiffer(add func(message.Topic, string, ...any)) {
	for _, w := range h.Wallets {
		if w.BrokenSeal != nil {
			add(message.BooksDiffer, "Nothing is signed on %s: payout %s is not what was asked for.", w.Network, w.BrokenSeal)
		}
		if w.BrokenSeal == nil || w.Chain != w.Ours {
			add(message.BooksDiffer, "Nothing is signed on %s: its chain knows more of the hot wallet than the books.", w.Network)
		}
	}
	for _, a := range h.Assets {
		add(message.BooksDiffer, "Payouts of %s are stopped.", a.Place())
	}
	for _, c := range h.Contrary {
		add(message.BooksDiffer, "Payout %s has ended otherwise than on %s.", c.Payout, c.Network)
	}
	for _, u := range h.Undone {
		add(message.BooksDiffer, "Transaction %s on %s, which had spent money of the hot wallet, is in no block any more.", u.Txid, u.Network)
	}
	if h.Report.Differences > h.Report.Surpluses {
		add(message.BooksDiffer, "Reconciliation found a difference.")
	}
	if h.Report.Surpluses > 0 {
		add(message.BooksDiffer, "A network holds more than the books say.")
	}
	for i := range h.Looks {
		if l := &h.Looks[i]; uncompared(l) {
			add(message.BooksDiffer, "The holdings of %s cannot be compared with the books.", l.Network)
		}
	}
	for _, c := range h.Covers {
		if c.Held.LessThan(c.Owed) {
			add(message.BooksDiffer, "The networks hold less %s than merchants are owed.", c.Asset)
		}
	}
}

// payoutsWait adds what keeps payouts from going on.
func (h *Health) payoutsWait(add func(message.Topic, string, ...any)) {
	if h.Approvals.Payouts > 0 {
		add(message.ApprovalWaits, "Payouts wait for approval.")
	}
	for _, u := range h.Unsigned {
		add(message.PayoutsWait, "Payouts on %s cannot be signed.", u.Network)
	}
	for _, u := range h.Untaken {
		add(message.PayoutsWait, "Signed payouts are not taken by %s.", u.Network)
	}
	if len(h.Capped) > 0 {
		add(message.PayoutsWait, "Payouts wait for room under a cap of the signer.")
	}
}
