package api

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var (
	errBookLinks = pay.E(pay.Invalid, "address_not_in_book",
		"Your merchant withdraws to the addresses of its address book only, so a payer cannot say where to: give an address of the book.")
	errMemoAlone  = pay.E(pay.Invalid, "invalid_format", "A memo belongs to an address, and there is none.")
	errAboutLong  = pay.E(pay.Invalid, "invalid_format", "The text for the payer must be at most 500 characters.")
	errNotShown   = pay.E(pay.Invalid, "figures_changed", "The figures were not shown: begin again.")
	errOtherAgain = pay.E(pay.Invalid, "form_used", "This form was used for another refund: begin again.")
)

// RehearseForm makes every check of a refund that a person of the panel asks for, and returns what RecordForm would record now.
func (r *Refunds) RehearseForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error) {
	m, err := r.ofForm(ctx, f)
	if err != nil {
		return nil, err
	}
	out := m.refunding()
	if m.item == nil {
		return out, nil
	}
	outcomes, err := r.Payouts.Store.RehearsePayouts(ctx, []store.PayoutItem{*m.item})
	if err != nil {
		return nil, err
	}
	return out, m.refused(&outcomes[0])
}

// RecordForm records the refund of a form, once: a form that has recorded it is answered with it. A *pay.Error says that nothing was
// recorded, with ErrDearer because it came to other figures than were shown. After any other error it may have been.
func (r *Refunds) RecordForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error) {
	if was, err := r.MadeByForm(ctx, f); was != nil || err != nil {
		return was, err
	}
	m, err := r.ofForm(ctx, f)
	if err != nil {
		return nil, err
	}
	if m.item != nil {
		shown := pay.Withdrawal{ShownAmount: f.ShownAmount, ShownDebit: f.ShownDebit}
		switch {
		case !f.ShownAmount.Valid || !f.ShownDebit.Valid:
			return nil, errNotShown
		case shown.Dearer(m.item.Payout):
			return nil, ErrDearer
		}
	}
	if err := m.ask(ctx, f.Form, f.Email); err != nil {
		return nil, err
	}
	switch err := m.record(); { //nolint:contextcheck // a person who leaves ends nothing half way
	case errors.Is(err, errDuplicateRefund): // the same form at the same moment was first
		return r.MadeByForm(ctx, f)
	case errors.Is(err, errRefundUnknown):
		return nil, Uncertain{err}
	case err != nil:
		return nil, err
	}
	return m.refunding(), nil
}

// MadeByForm returns what a form has recorded, nil for nothing.
func (r *Refunds) MadeByForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error) {
	q, err := r.Payouts.Store.MerchantRefund(ctx, f.Merchant, uuid.Nil, f.Reference())
	if errors.Is(err, pay.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &pay.Refunding{Refund: q}
	if q.PayoutID != nil {
		if out.Payout, err = r.Payouts.Store.Payout(ctx, *q.PayoutID); err != nil {
			return nil, err
		}
	}
	if q.PayinID != f.Payin || q.Token != f.Token || q.FeeFromAmount != f.FeesFrom || !q.Amount.Equal(plainAmount(f.Amount)) ||
		q.ExpiresAt == nil && (out.Payout == nil || out.Payout.Wallet != f.Wallet) || q.ExpiresAt != nil && f.Wallet != "" {
		return nil, errOtherAgain
	}
	return out, nil
}

// ofForm makes the checks of a form that need no lock, at the panel's rates.
func (r *Refunds) ofForm(ctx context.Context, f *pay.RefundForm) (*makingRefund, error) {
	order, err := orderOfForm(f)
	if err != nil {
		return nil, err
	}
	checks, err := (&Withdrawals{r.Payouts}).checks(ctx, &pay.Withdrawal{Merchant: f.Merchant, Email: f.Email})
	if err != nil {
		return nil, err
	}
	if f.Wallet == "" && checks.book != nil {
		return nil, errBookLinks
	}
	m, err := r.prepare(ctx, checks, order)
	if err != nil {
		return nil, err
	}
	return m, m.needsSecond(ctx, checks, f.Form)
}

func orderOfForm(f *pay.RefundForm) (*refundOrder, error) {
	out := &refundOrder{payin: f.Payin.String(), wallet: f.Wallet, memo: f.Memo, lifetime: refundLifetime * time.Second, byPerson: true,
		Refund: pay.Refund{ReferenceID: f.Reference(), Token: f.Token, FeeFromAmount: f.FeesFrom, Description: f.Description}}
	if f.Amount == pay.RefundAll || f.Amount == pay.RefundOverpaid {
		out.part = f.Amount
	} else if out.Amount = plainAmount(f.Amount); !out.Amount.IsPositive() {
		return nil, errAmountText
	}
	switch {
	case f.Wallet == "" && f.Memo != "":
		return nil, errMemoAlone
	case !input.Within(f.Description, 0, longestDescription):
		return nil, errAboutLong
	}
	return out, nil
}

// needsSecond notes why a second person confirms the payout; nothing for a link, whose payout is not there yet.
func (m *makingRefund) needsSecond(ctx context.Context, checks *payoutChecks, form uuid.UUID) (err error) {
	if m.item != nil {
		asked := []*pay.Withdrawal{{Merchant: m.refund.MerchantID, Form: form}}
		m.second, err = (&Withdrawals{m.of.Payouts}).second(ctx, checks.catalogue, asked, []Withdrawn{{Payout: m.item.Payout}})
	}
	return err
}

// ask notes that the payout waits for a second person, before it is recorded.
func (m *makingRefund) ask(ctx context.Context, form uuid.UUID, email string) error {
	if m.second == "" {
		return nil
	}
	return m.of.Payouts.Store.AskSecond(ctx, form, email, m.second, []*pay.Payout{m.item.Payout})
}

func (m *makingRefund) refunding() *pay.Refunding {
	out := &pay.Refunding{Refund: m.refund, Second: m.second}
	if m.item != nil {
		out.Payout = m.item.Payout
	}
	return out
}

// LinkOf returns the address of the page of a merchant's refund; "" when it has no open link. It is pay.ErrNotFound for another's.
func (r *Refunds) LinkOf(ctx context.Context, merchant, id uuid.UUID) (string, error) {
	q, err := r.Payouts.Store.MerchantRefund(ctx, merchant, id, "")
	if err != nil {
		return "", err
	}
	payouts, now, err := paidBy(ctx, r.Payouts.Store, []pay.Refund{*q})
	if err != nil {
		return "", err
	}
	return r.address(q, q.Status(payoutOf(q, payouts), now)), nil
}
