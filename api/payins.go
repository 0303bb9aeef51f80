package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
)

// Payins are the operations on payins (api-v1 §Payin request object and following).
type Payins struct {
	Store      *store.Store
	Catalogues *Catalogues
	Addresses  Deriver
	URLs       *webhooks.URLPolicy
	Credits    CreditRules
	Pages      func(id uuid.UUID) string // address of a payin's page for its payer; nil when there is none to tell of
}

// CreditRules decide when networks credit payins.
type CreditRules interface {
	// CreditAfter returns when a merchant's payin worth so much in USD is credited.
	CreditAfter(network string, merchant uuid.UUID, worth decimal.Decimal) pay.CreditDepth
	// Required returns the confirmations needed for that depth, as far as it can be said.
	Required(network string, depth pay.CreditDepth) int
}

// dollar is the currency of the amounts in CreditRules.
const dollar = "USD"

// Routes are the payins' rows of the route table.
func (p *Payins) Routes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/v1/payin", Scope: pay.ScopePayinWrite, Summary: "Create a payin",
			Doc: docCreatePayin, Handler: p.create},
		{Method: http.MethodGet, Path: "/v1/check-payin/:reference", Scope: pay.ScopePayinRead, Summary: "Read a payin",
			Doc: docCheckPayin, Handler: p.check},
		{Method: http.MethodGet, Path: "/v1/list-payin", Scope: pay.ScopePayinRead, Summary: "List payins",
			Doc: docListPayins, Handler: p.list},
	}
}

// PayinCreated is the answer to POST /v1/payin (api-v1 §Payin creation response).
type PayinCreated struct {
	Message string           `json:"message"`
	Data    PayinCreatedData `json:"data"`
}

// PayinCreatedData is the new payin as its creation shows it. checkout_url is an extension (api-v1 §The payers' page).
type PayinCreatedData struct {
	ReferenceID       string    `json:"reference_id"`
	InternalReference uuid.UUID `json:"internal_reference"`
	Wallet            string    `json:"wallet"`
	CryptoAmount      string    `json:"crypto_amount"`
	FiatAmount        *string   `json:"fiat_amount"`
	CryptoCurrency    string    `json:"crypto_currency"`
	FiatCurrency      string    `json:"fiat_currency"`
	Network           string    `json:"network"`
	Status            string    `json:"status"`
	CheckoutURL       string    `json:"checkout_url,omitempty"`
}

// create answers POST /v1/payin. Nothing is recorded when no address could be had.
func (p *Payins) create(c *Call) error {
	order, err := readPayin(c.Body)
	if err != nil {
		return err
	}
	if err := p.safe(c, order.WebhookURL); err != nil {
		return err
	}
	if err := p.unused(c.Context(), c.Caller.Merchant.ID, order.Reference); err != nil {
		return err
	}
	cat, err := p.Catalogues.For(c)
	if err != nil {
		return err
	}
	payin, quote, err := draftPayin(c.Caller, cat, order)
	if err != nil {
		return err
	}
	p.creditAfter(payin, cat)
	address, err := payinAddress(c.Context(), p.Store, p.Addresses, payin)
	if err != nil {
		return err
	}
	if err := p.record(payin, address, order.Lifetime); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, PayinCreated{"deposit_created_successfully", PayinCreatedData{
		ReferenceID: payin.ReferenceID, InternalReference: payin.ID, Wallet: payin.Wallet, CryptoAmount: payin.Amount.String(),
		FiatAmount: quote.FiatText, CryptoCurrency: payin.Token, FiatCurrency: payin.FiatCurrency, Network: payin.Network, Status: "created",
		CheckoutURL: p.page(payin),
	}})
}

// drafted is draftPayin with an address and, where the token needs one, a fresh memo.
func (p *Payins) drafted(ctx context.Context, by *store.Caller, cat *Catalogue, order *payinOrder) (*pay.Payin, *pay.Address, error) {
	if _, t, err := depositToken(cat, order.Network, order.Token); err == nil && t.Memo {
		memo, err := freshMemo()
		if err != nil {
			return nil, nil, err
		}
		order.Memo = &memo
	}
	payin, _, err := draftPayin(by, cat, order)
	if err != nil {
		return nil, nil, err
	}
	p.creditAfter(payin, cat)
	address, err := payinAddress(ctx, p.Store, p.Addresses, payin)
	return payin, address, err
}

// creditAfter decides when a payin's transfers are credited, by what it is worth.
func (p *Payins) creditAfter(payin *pay.Payin, cat *Catalogue) {
	if worth, ok := cat.Price(payin.Token, dollar); ok {
		payin.CreditAfter = p.Credits.CreditAfter(payin.Network, payin.MerchantID, payin.Amount.Mul(worth))
	}
}

// page is the address of the payin's page. It is "" without pages, and for transfers to fixed wallets: nobody was asked
// to pay them.
func (p *Payins) page(payin *pay.Payin) string {
	if p.Pages == nil || payin.WalletID != nil {
		return ""
	}
	return p.Pages(payin.ID)
}

// safe applies the rule for webhook addresses of payins (api-v1 §POST /v1/payin).
func (p *Payins) safe(c *Call, address string) error {
	err := p.URLs.Check(c.Context(), address, webhooks.ForPayin)
	var refusal *webhooks.URLError
	if !errors.As(err, &refusal) {
		return c.lookedUp(err)
	}
	wrong := input.FieldErrors{"webhook_url": string(refusal.Reason)}.As("invalid_parameters", "The webhook_url cannot be used.")
	if refusal.Reason == webhooks.TooLong || refusal.Reason == webhooks.Malformed {
		return wrong
	}
	return wrong.With("field", "webhook_url").With("reason", "unsafe_url")
}

// draftPayin applies the catalogue and the merchant's terms. The rates and fees of the moment stay with the payin.
func draftPayin(by *store.Caller, cat *Catalogue, order *payinOrder) (*pay.Payin, *payinQuote, error) {
	n, t, err := depositToken(cat, order.Network, order.Token)
	if err != nil {
		return nil, nil, err
	}
	memo, err := payinMemo(n, t, order.Memo)
	if err != nil {
		return nil, nil, err
	}
	p, q, err := pricedPayin(by, cat, order, n, t)
	if err != nil {
		return nil, nil, err
	}
	p.Memo = memo
	return p, q, nil
}

// pricedPayin works out amounts, limits and fees. With an error the quote is there as far as it came, or nil.
func pricedPayin(by *store.Caller, cat *Catalogue, order *payinOrder, n *pay.Network, t *pay.Token) (*pay.Payin, *payinQuote, error) {
	q, err := order.quote(cat, &by.Merchant, t)
	if err != nil {
		return nil, q, err
	}
	if err := q.limits(order.ProcessBy, t); err != nil {
		return nil, q, err
	}
	terms := by.Terms(n.Name)
	p := &pay.Payin{
		ID: uuid.Must(uuid.NewV7()), MerchantID: by.Merchant.ID, KeyID: by.Key.ID, ReferenceID: order.Reference,
		Token: t.Symbol, Asset: t.BalanceKey, Network: n.Name, ProcessBy: order.ProcessBy,
		Amount: q.Amount, FiatCurrency: q.Fiat, FiatAmount: q.FiatAmount, Price: q.Price,
		PercentRate: terms.ReceiptRate, MinimumPayment: by.Merchant.Minimum(),
		CustomerInfo: order.Customer, WebhookURL: order.WebhookURL, ReturnURL: order.ReturnURL, Status: pay.PayinPending,
	}
	paysFee := terms.PaysReceiptNetworkFee
	if order.Panel {
		p.PercentRate, paysFee = terms.DepositRate, terms.PaysDepositNetworkFee
	}
	if paysFee {
		fee, ok := cat.NetworkFee(t)
		if !ok {
			return nil, q, errNoConversion
		}
		p.PaysNetworkFee, p.NetworkFee = true, fee
	}
	return p, q, nil
}

var errDuplicatePayin = pay.E(pay.Invalid, "duplicate_reference_id", "A payin with this reference_id exists.")

// unused refuses a reference already in use: a resend learns so whatever prices and limits have become meanwhile, and no
// address is spent on it. The insert decides races.
func (p *Payins) unused(ctx context.Context, merchant uuid.UUID, reference string) error {
	_, err := p.Store.MerchantPayin(ctx, merchant, uuid.Nil, reference)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return nil
	case err != nil:
		return err
	default:
		return cmp.Or(p.Store.Confirm(ctx), error(errDuplicatePayin))
	}
}

var errNotRecorded = pay.E(pay.Internal, "database_transaction_failed", "The payin could not be recorded.")

// record writes the payin and its address in one transaction, until the outcome is certain. The database refuses a
// reference or memo already in use.
func (p *Payins) record(payin *pay.Payin, address *pay.Address, lifetime time.Duration) error {
	err := untilCertain(p.Store, func(ctx context.Context, unsure bool) error {
		return p.Store.InTx(ctx, func(tx *store.Store) error { return addPayin(ctx, tx, payin, address, lifetime, unsure) })
	})
	var refusal *pay.Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case store.Violates(err, "payins_open_memo"):
		return errMemoTaken
	default:
		return errNotRecorded.Because(err)
	}
}

// memoKept is how long nobody else gets the memo of an expired payin: late transfers of its payer belong to the same
// merchant (addendum §8).
const memoKept = 30 * 24 * time.Hour

var errMemoTaken = input.FieldErrors{"memo": "is in use by another payin"}.Err()

// addPayin is one try. unsure means an earlier one may have been committed: a payin with our id is its work.
func addPayin(ctx context.Context, tx *store.Store, payin *pay.Payin, address *pay.Address, lifetime time.Duration, unsure bool) error {
	now, err := tx.Now(ctx)
	if err != nil {
		return err
	}
	if payin.Memo != nil {
		if taken, err := tx.MemoOfAnother(ctx, payin, memoKept); err != nil || taken {
			return cmp.Or(err, errMemoTaken)
		}
	}
	payin.ExpiresAt, address.ID = now.Add(lifetime), 0
	added, err := tx.AddPayin(ctx, payin, address)
	if err != nil || added {
		return err
	}
	if unsure {
		if _, err := tx.Payin(ctx, payin.ID); !errors.Is(err, pay.ErrNotFound) {
			return err
		}
	}
	return errDuplicatePayin
}
