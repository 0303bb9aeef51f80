package main

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// judgePayins compares bills with payins, and each payin's status with the chains.
func (e *evidence) judgePayins() {
	rows := map[string]*payinRow{}
	for i := range e.payins {
		p := &e.payins[i]
		if p.WalletID != nil {
			e.report.count("payins of fixed wallets", 1)
		} else {
			e.report.count("payins "+p.Status, 1)
			rows[p.ReferenceID] = p
		}
	}
	for _, b := range e.t.book.bills {
		p := rows[b.reference]
		delete(rows, b.reference)
		switch {
		case b.id == "":
			e.wrong(checkAnswered, b.reference)
		case p == nil || p.ID.String() != b.id:
			e.wrong(checkThere, b.reference)
		}
	}
	for _, p := range rows {
		e.wrong("every payin was asked for", p.ReferenceID)
	}
	e.judgeStatuses()
}

// judgeStatuses computes the sum received by each payin from the transfers its chain shows now. A payin that had a refund before it was
// completed is completed no more.
func (e *evidence) judgeStatuses() {
	received := map[uuid.UUID]decimal.Decimal{}
	mined := e.minedPayments()
	stand := map[uuid.UUID]bool{} // have a transfer not vanished
	for _, t := range e.transfers {
		if t.PayinID != nil && t.Status != "dropped" {
			stand[*t.PayinID] = true
		}
		if tx, ok := mined[t.Network+" "+t.Txid]; ok && t.PayinID != nil {
			received[*t.PayinID] = received[*t.PayinID].Add(e.cut(tx))
		}
	}
	for i := range e.payins {
		p := &e.payins[i]
		sum := received[p.ID]
		enough := sum.GreaterThanOrEqual(p.Amount.Mul(p.MinimumPayment).Shift(-2))
		if !sum.Equal(p.Received) {
			e.wrong("a payin has received what was paid", fmt.Sprintf("%s: %s, not %s", p.ID, p.Received, sum))
		}
		fits := p.Status == "completed" && enough || p.Status == "failed" && (!enough || e.refunded[p.ID]) || p.Status == "reversed" && p.ReversedAt != nil
		// A transfer seen on its way to a fixed wallet and vanished before it was credited may come yet, for a day.
		if vanished := p.Status == "pending" && p.WalletID != nil && sum.IsZero() && !stand[p.ID]; vanished {
			e.report.count("payins of fixed wallets whose payment vanished", 1)
		} else if !fits {
			e.wrong("a payin's status follows from what was paid", fmt.Sprintf("%s is %s with %s of %s", p.ID, p.Status, sum, p.Amount))
		}
	}
}

// minedPayments are the customers' payments in blocks, by network and txid.
func (e *evidence) minedPayments() map[string]chainRow {
	out := map[string]chainRow{}
	for _, tx := range e.paid {
		if tx.State == "mined" {
			out[tx.Network+" "+tx.Txid] = tx
		}
	}
	return out
}

// cut is the part of a payment kept by the ledger.
func (e *evidence) cut(tx chainRow) decimal.Decimal {
	coin, _ := e.t.coin(tx.Network, tx.Token)
	return tx.Amount.Truncate(coin.precision)
}

// judgeTransfers compares the transfers with the chains: every payment is credited once, nothing else is.
func (e *evidence) judgeTransfers() {
	mined := e.minedPayments()
	e.report.count("payments of customers", len(e.paid))
	e.report.count("payments in blocks at the end", len(mined))
	seen := map[string]int{}
	for _, t := range e.transfers {
		key := t.Network + " " + t.Txid
		tx, there := mined[key]
		switch {
		case t.Status == "dropped" && !there:
			continue
		case t.Status == "unclaimed":
			e.wrong(checkClaimed, key)
		case t.Status != "final":
			e.wrong("every transfer has come to its end", key+" is "+t.Status)
		case !there:
			e.wrong(checkOnChain, key)
		case !t.Amount.Equal(tx.Amount) || t.Token != tx.Token || !t.Credited.Equal(e.cut(tx)):
			e.wrong("a transfer is what its chain shows", key)
		}
		seen[key]++
	}
	for key := range mined {
		if seen[key] != 1 {
			e.wrong(checkCredited, fmt.Sprintf("%s: %d times", key, seen[key]))
		}
	}
}
