package ledger_test

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/internal/pay"
	"causeway/ledger"
)

// event is one thing happening to money: its entry, and its effect on the merchant by the rules of addendum §6, worked
// out without looking at the entry.
type event struct {
	entry             ledger.Entry
	merchant          uuid.UUID
	asset             string
	available, locked decimal.Decimal
}

// business is the state to go on with.
type business struct {
	*world
	funds     map[purse]ledger.Balance
	payouts   []*pay.Payout // held, not settled
	transfers []*incoming
	past      []event
}

type purse struct {
	merchant uuid.UUID
	asset    string
}

// incoming is a transfer to a merchant.
type incoming struct {
	*pay.Transfer
	merchant uuid.UUID
	asset    string
}

func newTransfer(network string, amount decimal.Decimal) *pay.Transfer {
	id, payin := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	return &pay.Transfer{ID: id, PayinID: &payin, Network: network, Txid: id.String(), Amount: amount, Status: pay.TransferSeen}
}

// draw draws the next event, and moves the state to go on with.
func (b *business) draw(t *rapid.T) event {
	kinds := []string{"arrives", "arrives", "treasury"}
	if len(b.transfers) > 0 {
		kinds = append(kinds, "moves", "moves")
	}
	if len(b.payouts) > 0 {
		kinds = append(kinds, "ends")
	}
	if covered := b.covered(); len(covered) > 0 {
		kinds = append(kinds, "holds", "holds")
	}
	happens := map[string]func(*rapid.T) event{"arrives": b.arrives, "treasury": b.treasury, "moves": b.moves, "ends": b.ends, "holds": b.holds}
	e := happens[rapid.SampledFrom(kinds).Draw(t, "event")](t)
	if e.merchant != uuid.Nil {
		k := purse{e.merchant, e.asset}
		was := b.funds[k]
		b.funds[k] = ledger.Balance{Asset: e.asset, Available: was.Available.Add(e.available), Locked: was.Locked.Add(e.locked)}
	}
	return e
}

// arrives is a transfer credited for the first time, or again after it was undone.
func (b *business) arrives(t *rapid.T) event {
	in := &incoming{Transfer: newTransfer(b.network, amounts(18).Draw(t, "amount").Add(decimal.New(1, -8))),
		merchant: rapid.SampledFrom(b.merchants).Draw(t, "merchant"), asset: rapid.SampledFrom(b.assets).Draw(t, "asset")}
	b.transfers = append(b.transfers, in)
	return b.credit(t, in)
}

func (b *business) credit(t *rapid.T, in *incoming) event {
	in.Credits++
	in.Status, in.Credited = pay.TransferCredited, in.Amount.Truncate(8)
	in.RateFee, in.NetworkFee = ledger.CreditFees(in.Credited, rates().Draw(t, "rate"), rapid.OneOf(rapid.Just(decimal.Zero), amounts(8)).
		Draw(t, "fee"), 8)
	e := event{merchant: in.merchant, asset: in.asset, locked: in.Amount.Truncate(8).Sub(in.RateFee).Sub(in.NetworkFee)}
	if rapid.Bool().Draw(t, "at once") {
		in.Status, e.available, e.locked = pay.TransferFinal, e.locked, decimal.Zero
	}
	e.entry = ledger.PayinCredited(in.merchant, in.asset, in.Transfer)
	return e
}

// moves takes a transfer further: final, undone, or credited again.
func (b *business) moves(t *rapid.T) event {
	in := b.transfers[rapid.IntRange(0, len(b.transfers)-1).Draw(t, "transfer")]
	net := in.Credited.Sub(in.RateFee).Sub(in.NetworkFee)
	if in.Status == pay.TransferDropped {
		return b.credit(t, in)
	}
	if in.Status == pay.TransferCredited && rapid.Bool().Draw(t, "final") {
		in.Status = pay.TransferFinal
		return event{ledger.PayinFinalised(in.merchant, in.asset, in.Transfer), in.merchant, in.asset, net, net.Neg()}
	}
	e := event{ledger.PayinReversed(in.merchant, in.asset, in.Transfer), in.merchant, in.asset, decimal.Zero, net.Neg()}
	if in.Status == pay.TransferFinal {
		e.available, e.locked = e.locked, e.available
	}
	in.Status = pay.TransferDropped
	return e
}

// covered returns the purses with something to pay out.
func (b *business) covered() (out []purse) {
	for _, m := range b.merchants {
		for _, a := range b.assets {
			if b.funds[purse{m, a}].Available.IsPositive() {
				out = append(out, purse{m, a})
			}
		}
	}
	return out
}

func (b *business) holds(t *rapid.T) event {
	from := rapid.SampledFrom(b.covered()).Draw(t, "purse")
	p := newPayout(b.world, from.merchant, from.asset)
	p.PercentRate, p.FeeFromAmount = rates().Draw(t, "rate"), true
	all := b.funds[from].Available
	if ledger.PayoutFees(p, decimal.Min(all, amounts(8).Draw(t, "amount")), 8) != nil {
		p.PercentRate, p.Amount, p.Debit, p.RateFee = decimal.Zero, all, all, decimal.Zero
	}
	b.payouts = append(b.payouts, p)
	return event{ledger.PayoutHeld(p), p.MerchantID, p.Asset, p.Debit.Neg(), decimal.Zero}
}

// ends settles or refunds a payout.
func (b *business) ends(t *rapid.T) event {
	i := rapid.IntRange(0, len(b.payouts)-1).Draw(t, "payout")
	p := b.payouts[i]
	b.payouts = append(b.payouts[:i:i], b.payouts[i+1:]...)
	if rapid.Bool().Draw(t, "settled") {
		return event{ledger.PayoutSettled(p), p.MerchantID, p.Asset, decimal.Zero, decimal.Zero}
	}
	return event{ledger.PayoutRefunded(p), p.MerchantID, p.Asset, p.Debit, decimal.Zero}
}

// treasury is money of no merchant.
func (b *business) treasury(t *rapid.T) event {
	in, asset := newTransfer(b.network, amounts(18).Draw(t, "amount")), rapid.SampledFrom(b.assets).Draw(t, "asset")
	entries := []ledger.Entry{ledger.TreasuryFunded(asset, in), ledger.UnclaimedHeld(asset, in),
		ledger.GasSpent(b.network, asset, in.Txid, 0, in.Amount), ledger.BesideReceived(b.network, asset, in.ID, 0, in.Amount),
		ledger.CostTaken(b.network, asset, in.ID, 0, in.Amount)}
	return event{entry: entries[rapid.IntRange(0, len(entries)-1).Draw(t, "kind")], asset: asset}
}

func newPayout(w *world, merchant uuid.UUID, asset string) *pay.Payout {
	id := uuid.Must(uuid.NewV7())
	return &pay.Payout{ID: id, MerchantID: merchant, KeyID: "key-" + w.network, ReferenceID: id.String(), Wallet: "somewhere", Token: asset,
		Asset:   asset,
		Network: w.network, ProcessBy: pay.ByCrypto, FiatCurrency: "USD", WebhookURL: "https://shop.example/hook"}
}
