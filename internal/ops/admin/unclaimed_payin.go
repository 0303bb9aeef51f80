package admin

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/tasks"
)

// payinAt returns the merchant's open or failed payin at the address of a transfer, locked; nil where there is none.
func payinAt(ctx context.Context, tx *store.Store, m *pay.Merchant, t *pay.Transfer) (*pay.Payin, error) {
	n, ok := pay.NetworkNamed(t.Network)
	if !ok {
		return nil, nil
	}
	exact, plain := store.Place{Match: t.Address, Memo: t.Memo}, store.Place{Match: t.Address}
	ours, err := tx.AddressesAt(ctx, n.Family, []store.Place{exact, plain})
	a := cmp.Or(ours[exact], ours[plain])
	if err != nil || a == nil || a.PayinID == nil {
		return nil, err
	}
	locked, err := tx.PayinsForUpdate(ctx, []uuid.UUID{*a.PayinID})
	p := locked[*a.PayinID]
	if err != nil || p == nil || p.MerchantID != m.ID || p.Status != pay.PayinPending && p.Status != pay.PayinFailed {
		return nil, err
	}
	return p, nil
}

// creditKnown credits an assigned transfer to a payin and tells its merchant, as a follower does (addendum §13).
func creditKnown(ctx context.Context, tx *store.Store, m *pay.Merchant, p *pay.Payin, asset string, t *pay.Transfer, whole decimal.Decimal) error {
	t.PayinID, t.Status, t.Credited = &p.ID, pay.TransferCredited, whole
	if err := countFor(ctx, tx, m, p, t); err != nil {
		return err
	}
	all, err := tx.TransfersOf(ctx, p.ID)
	if err != nil {
		return err
	}
	transfers := all[p.ID]
	transfers.Shown = append(transfers.Shown, *t)
	late := p.Status == pay.PayinFailed
	event, update := pay.PaymentUpdated, &webhooks.Update{Reason: pay.UpdatePartial, Transfers: []pay.Transfer{*t}}
	if late {
		update.Reason = pay.UpdateLate
	}
	if p.Received = transfers.Counted(); p.EnoughBy(transfers) {
		p.Status, event, update = pay.PayinCompleted, pay.PaymentConfirmed, nil
	}
	if err := tx.SavePayin(ctx, p); err != nil {
		return err
	}
	if event == pay.PaymentConfirmed {
		if err := tx.TellPaid(ctx, []uuid.UUID{p.ID}, []bool{transfers.Final()}); err != nil {
			return err
		}
	}
	if _, err := ledger.Post(ctx, tx.Q, ledger.OfPayin(p, ledger.UnclaimedAssigned(m.ID, asset, t))); err != nil || update != nil && m.MuteUpdates {
		return err
	}
	return tell(ctx, tx, event, p, transfers, update, p.WebhookURL)
}

// countFor sets the amount an assigned transfer counts towards a payin: converted now when it is another token, and zero without a
// price. A late transfer weighs as it does at a follower (addendum §8).
func countFor(ctx context.Context, tx *store.Store, m *pay.Merchant, p *pay.Payin, t *pay.Transfer) error {
	t.Counted = t.Credited
	if t.Token == p.Token && !p.Late(t) {
		return nil
	}
	cat, err := tx.Catalogue(ctx)
	if err != nil {
		return err
	}
	precision := ledger.Precision
	for i := range cat.Tokens {
		if k := &cat.Tokens[i]; k.Symbol == p.Token && k.Network == p.Network {
			precision = k.Precision
		}
	}
	rates := pricing.NewRates(cat.Prices, time.Now())
	if t.Token != p.Token {
		t.Counted, _ = rates.Convert(t.Credited, t.Token, p.Token, precision)
	}
	rates.SetLate(p, t, m.LateTerms, precision)
	return nil
}

// tell records a webhook of a payin with its job; it does nothing without an address.
func tell(ctx context.Context, tx *store.Store, event pay.Event, p *pay.Payin, transfers *pay.PayinTransfers, u *webhooks.Update, url string) error {
	if url == "" {
		return nil
	}
	d, err := webhooks.PayinDelivery(event, p, transfers, u, url)
	if err != nil {
		return err
	}
	if err := tx.AddDeliveries(ctx, []pay.Delivery{d}); err != nil {
		return err
	}
	return tx.AddJobs(ctx, string(tasks.DeliverWebhook), []uuid.UUID{d.ID}, tasks.RingDelay)
}
