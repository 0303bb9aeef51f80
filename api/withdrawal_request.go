package api

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

var (
	errAmountText = pay.E(pay.Invalid, "invalid_crypto_amount", "The amount must be a plain decimal above zero.")
	errAmountFine = pay.E(pay.Invalid, "invalid_crypto_amount", "The amount has more decimals than the token.")
	errWalletText = pay.E(pay.Invalid, "invalid_format", "The address must be a text of 20 to 120 characters.")
	errMemoText   = pay.E(pay.Invalid, "invalid_format", "The memo must be 8 to 15 digits.")
	errMemoUnused = pay.E(pay.Invalid, "invalid_format", "The token has no memo on this network: leave the memo empty.")
)

// isOf reports whether a payout is the one asked for. Fees are not compared: they may have been others then.
func isOf(n *pay.Withdrawal, p *pay.Payout) bool {
	asked, selected, memo := plainAmount(n.Amount), p.Amount, ""
	if p.FeeFromAmount {
		selected = p.Debit
	}
	if p.Memo != nil {
		memo = *p.Memo
	}
	network, known := pay.NetworkCalled(n.Network)
	tagged := n.Memo == "" // the tag inside an address is kept as the memo
	return known && network.Name == p.Network && n.Token == p.Token && n.Wallet == p.Wallet && n.FeesFrom == p.FeeFromAmount &&
		(tagged || memoOf(n) == memo) && selected.Equal(asked)
}

// checks are those of the withdrawals of a person, against the merchant's terms and the prices of now.
func (w *Withdrawals) checks(ctx context.Context, n *pay.Withdrawal) (*payoutChecks, error) {
	caller, err := panelCaller(ctx, w.Payouts.Store, n.Merchant, n.Email)
	if err != nil {
		return nil, err
	}
	catalogue, err := w.Payouts.Catalogues.Since(ctx, caller.Catalogue)
	if err != nil {
		return nil, err
	}
	book, err := w.bookOf(ctx, n.Merchant)
	return &payoutChecks{book: book, caller: caller, catalogue: catalogue, addresses: w.Payouts.Addresses, panel: true}, err
}

// item makes the checks that need no balance, in the order of addendum §7.
func (w *Withdrawals) item(checks *payoutChecks, n *pay.Withdrawal) (*store.PayoutItem, error) {
	d, problem := draftOf(n, checks.caller)
	if problem == nil {
		checks.run(d)
		problem = d.problem
	}
	switch {
	case problem != nil:
		return nil, problem
	case !d.amount.Equal(plainAmount(n.Amount)):
		return nil, errAmountFine
	}
	if problem := checks.inBook(&d.payout); problem != nil {
		return nil, problem
	}
	d.payout.Seal = w.Payouts.Seals.Make(d.payout.Sealed()...)
	return &store.PayoutItem{Payout: &d.payout, HoldDigest: ledger.PayoutHeld(&d.payout).Digest}, nil
}

// panelCaller reads the merchant of a person of the panel, with its terms as they are now.
func panelCaller(ctx context.Context, s *store.Store, merchant uuid.UUID, email string) (*store.Caller, error) {
	by, err := personCaller(ctx, s, pay.Key{ID: pay.PanelKey(email), MerchantID: merchant})
	if err != nil {
		return nil, err
	}
	if by.Merchant.Suspended || !by.Merchant.Verified {
		return nil, errWithdrawable
	}
	return by, nil
}

// draftOf reads what was asked for, as the fields of a request.
func draftOf(n *pay.Withdrawal, caller *store.Caller) (*payoutDraft, *pay.Error) {
	if !input.Within(n.Wallet, 20, 120) {
		return nil, errWalletText
	}
	return draftWithout(n, caller)
}

// draftWithout is draftOf where the address may still be missing.
func draftWithout(n *pay.Withdrawal, caller *store.Caller) (*payoutDraft, *pay.Error) {
	body, err := json.Marshal(map[string]string{"crypto_amount": n.Amount, "memo": memoOf(n)})
	if err != nil {
		return nil, errAmountText
	}
	d := newDraft(0, body, caller)
	if _, found := input.AmountIn(n.Amount); found != input.Given {
		return nil, errAmountText
	}
	d.network = n.Network
	wrong := input.FieldErrors{}
	if d.readMemo(wrong); len(wrong) > 0 {
		return nil, errMemoText
	}
	p := &d.payout
	p.ReferenceID, p.Wallet, p.Token, p.ProcessBy, p.FeeFromAmount = n.Reference(), n.Wallet, n.Token, pay.ByCrypto, n.FeesFrom
	return d, nil
}

// leastMemo is how many digits a memo has at least (api-v1 §Payout request object).
const leastMemo = 8

// memoOf is a person's memo as a payout has it. A destination tag is a number: people write it as they were told, and zeros in front make a
// memo of it (addendum §13).
func memoOf(n *pay.Withdrawal) string {
	network, known := pay.NetworkCalled(n.Network)
	if !known || !network.Tag || n.Memo == "" {
		return n.Memo
	}
	return strings.Repeat("0", max(0, leastMemo-len(n.Memo))) + n.Memo
}

// plainAmount reads an amount of a person; zero for what is none.
func plainAmount(text string) decimal.Decimal {
	amount, _ := input.AmountIn(text)
	return amount
}
