package follow

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/catalogue"
)

// credit books the transfers due for crediting, and makes final those that cannot vanish any more. It returns its changes to payins,
// and whether there is more to do at once.
func (w *Worker) credit(ctx context.Context, tx *store.Store, r *reading, out *writing) (c credits, more bool, err error) {
	due, err := tx.DueTransfers(ctx, r.network.Name, r.head.Credit, r.head.Final, r.early, transfersAtOnce)
	if err != nil || len(due)+len(out.atOnce) == 0 {
		return c, false, err
	}
	stored := len(due)
	due = append(due, out.atOnce...)
	if c.payins, err = tx.PayinsForUpdate(ctx, told(due)); err != nil {
		return c, false, err
	}
	if err := readTerms(ctx, tx, due[stored:], c.payins); err != nil {
		return c, false, err
	}
	transfers := make([]pay.Transfer, len(due))
	var seen []pay.Transfer
	for i := range due {
		if transfers[i] = due[i].Transfer; due[i].Status == pay.TransferSeen {
			seen = append(seen, transfers[i])
		}
	}
	dropped, err := droppedWith(ctx, tx, seen, c.payins)
	if err != nil {
		return c, false, err
	}
	regained := map[uuid.UUID]*pay.Payin{}
	for i := range transfers {
		t := &transfers[i]
		final := *t.Height <= r.head.Final
		switch {
		case t.Status == pay.TransferSeen:
			before := t.Credited.IsPositive()
			out.entries = append(out.entries, creditEntry(t, c.payins, out.tokens, r.isOwn(t.Address), final))
			if t.PayinID != nil {
				p := c.payins[*t.PayinID]
				out.tokens.Rates.SetLate(p, t, due[i].Late, out.tokens.Precision(p.Token, p.Network))
			}
			if err := creditedAgain(t, before || givesBack(t, dropped), c.payins, out.tokens, regained); err != nil {
				return c, false, err
			}
			c.note(&c.credited, t)
		case final:
			out.entries = append(out.entries, ledger.PayinFinalised(*due[i].MerchantID, out.tokens.Asset(t.Token, t.Network), t))
			t.Status = pay.TransferFinal
			c.note(&c.final, t)
		}
	}
	if err := tx.SavePayins(ctx, slices.Collect(maps.Values(regained))); err != nil {
		return c, false, err
	}
	c.mute(due)
	if err := tx.SaveTransfers(ctx, transfers[stored:]); err != nil {
		return c, false, err
	}
	return c, stored == transfersAtOnce, tx.CreditTransfers(ctx, transfers[:stored])
}

// credits are a step's changes to payins: their rows, locked, and the transfers of each that it credited or made final.
type credits struct {
	payins          map[uuid.UUID]*pay.Payin
	credited, final map[uuid.UUID][]*pay.Transfer
	muted           map[uuid.UUID]bool // payins without payment_updated for their merchants
}

// note adds a transfer to one of the lists, unless it is no payin's.
func (c *credits) note(list *map[uuid.UUID][]*pay.Transfer, t *pay.Transfer) {
	if t.PayinID == nil {
		return
	}
	if *list == nil {
		*list = map[uuid.UUID][]*pay.Transfer{}
	}
	(*list)[*t.PayinID] = append((*list)[*t.PayinID], t)
}

// mute notes the payins without payment_updated for their merchants.
func (c *credits) mute(due []store.DueTransfer) {
	c.muted = map[uuid.UUID]bool{}
	for i := range due {
		if d := &due[i]; d.PayinID != nil && d.Muted {
			c.muted[*d.PayinID] = true
		}
	}
}

// told returns the payins with possible news: those of credits, and those of finality unless it is muted.
func told(due []store.DueTransfer) []uuid.UUID {
	var some []pay.Transfer
	for i := range due {
		if due[i].Status == pay.TransferSeen || !due[i].Muted {
			some = append(some, due[i].Transfer)
		}
	}
	return payinIDs(some)
}

// creditEntry decides to whom a creditable transfer goes: the merchant, the operator if its address is his own, or nobody (unclaimed). An amount too little for
// the ledger, or for a payin of a fixed wallet, is nobody's, and no operator is asked about it. A payin's transfer that is final has this
// one entry.
func creditEntry(t *pay.Transfer, payins map[uuid.UUID]*pay.Payin, cat *catalogue.Table, own, final bool) ledger.Entry {
	asset, whole := cat.Asset(t.Token, t.Network), pricing.Cut(t.Amount, cat.Precision(t.Token, t.Network))
	t.Credits++
	switch {
	case t.PayinID != nil:
		p := payins[*t.PayinID]
		value(t, p, cat, whole)
		if t.Status = pay.TransferCredited; final {
			t.Status = pay.TransferFinal
		}
		return ledger.OfPayin(p, ledger.PayinCredited(p.MerchantID, asset, t))
	case own:
		t.Status = pay.TransferTreasury
		return ledger.TreasuryFunded(asset, t)
	case whole.IsZero() || t.Reason != nil && strings.HasPrefix(*t.Reason, worthless):
		t.Status = pay.TransferIgnored
	default:
		t.Status = pay.TransferUnclaimed
	}
	return ledger.UnclaimedHeld(asset, t)
}

// value sets a transfer's credit, fees and count. Those set before a reorganisation undid the credit stay, whatever prices are now: a
// payment stays paid. Only a count of zero is decided again.
func value(t *pay.Transfer, p *pay.Payin, cat *catalogue.Table, whole decimal.Decimal) {
	if !t.Credited.IsPositive() {
		t.Credited = whole
		t.RateFee, t.NetworkFee = ledger.CreditFees(whole, p.PercentRate, networkFeeOf(t, p, cat), cat.Precision(t.Token, t.Network))
	}
	if !t.Counted.IsPositive() {
		count(t, p, cat)
	}
}

// networkFeeOf returns the account's network fee for a transfer, in the transfer's token, where the payin bears one. For the token
// and network asked for it was settled with the payin. For any other it is the token's own fee now; zero where no price tells how
// much (addendum §6).
func networkFeeOf(t *pay.Transfer, p *pay.Payin, cat *catalogue.Table) decimal.Decimal {
	if t.Token == p.Token && t.Network == p.Network || !p.PaysNetworkFee {
		return p.NetworkFee
	}
	token := cat.Token(t.Token, t.Network)
	if token == nil {
		return decimal.Zero
	}
	fee, _ := cat.Rates.FeeIn(token)
	return fee
}

// creditedAgain takes a credit off the reversal of its payin when it gives back something undone by a reorganisation, and notes the
// payin among the regained ones.
func creditedAgain(t *pay.Transfer, givenBack bool, payins map[uuid.UUID]*pay.Payin, cat *catalogue.Table, regained map[uuid.UUID]*pay.Payin) error {
	if !t.OnBalance() || payins[*t.PayinID].ReversedAt == nil || !givenBack {
		return nil
	}
	p := payins[*t.PayinID]
	regained[p.ID] = p
	return regain(p, cat.Asset(t.Token, t.Network), t.Net())
}

// droppedWith returns credited transfers that are dropped now, by txid: those sharing a transaction with a transfer about to be
// credited to a payin with a reversal. They are read at once: nobody limits how many come to one payin.
func droppedWith(ctx context.Context, tx *store.Store, seen []pay.Transfer, payins map[uuid.UUID]*pay.Payin) (map[string][]pay.Transfer, error) {
	var txids []string
	for i := range seen {
		if t := &seen[i]; t.PayinID != nil && payins[*t.PayinID].ReversedAt != nil {
			txids = append(txids, t.Txid)
		}
	}
	if len(txids) == 0 {
		return nil, nil
	}
	return tx.DroppedCredits(ctx, seen[0].Network, txids)
}

// givesBack reports whether a credit repeats another transfer's, made for the payin by the same transaction before it was mined again
// and did something else. A merely unclaimed transfer was never the payin's.
func givesBack(t *pay.Transfer, dropped map[string][]pay.Transfer) bool {
	return slices.ContainsFunc(dropped[t.Txid], func(other pay.Transfer) bool {
		return other.Token == t.Token && t.PayinID != nil && *other.PayinID == *t.PayinID
	})
}

// count decides how much a credit counts towards the payin, in the payin's token: converted at the current price when another token
// was paid, nothing when there is no price (addendum §8).
func count(t *pay.Transfer, p *pay.Payin, cat *catalogue.Table) {
	t.Counted, t.Reason = t.Credited, nil
	if t.Token == p.Token {
		return
	}
	known := false
	if t.Counted, known = cat.Rates.Convert(t.Credited, t.Token, p.Token, cat.Precision(p.Token, p.Network)); !known {
		setReason(t, "credited, and counted as nothing: there was no price of "+t.Token+" in "+p.Token)
	} else if t.Counted.IsZero() {
		setReason(t, "credited, and counted as nothing: it is worth less than the smallest amount of "+p.Token)
	}
}

func payinIDs(transfers []pay.Transfer) []uuid.UUID {
	ids := map[uuid.UUID]bool{}
	for i := range transfers {
		if transfers[i].PayinID != nil {
			ids[*transfers[i].PayinID] = true
		}
	}
	return store.InOrder(ids)
}
