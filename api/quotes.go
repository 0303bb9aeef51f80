package api

import (
	"errors"
	"net/http"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/ledger"
)

// Quotes answers what an amount would come to (api-v1 §Quote).
type Quotes struct {
	Catalogues *Catalogues
}

// Routes is their row of the route table.
func (q *Quotes) Routes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/v1/quote", Scope: pay.ScopePricesRead, Summary: "What an amount would come to",
		Doc: docQuote, Handler: q.quote}}
}

// QuoteAnswer is the answer to GET /v1/quote (api-v1 §Quote). A value not worked out is null.
type QuoteAnswer struct {
	Message        string        `json:"message"`
	Operation      string        `json:"operation"`
	Network        string        `json:"network"`
	CryptoCurrency string        `json:"crypto_currency"`
	FiatCurrency   string        `json:"fiat_currency"`
	ProcessBy      string        `json:"process_by"`
	Accepted       bool          `json:"accepted"` // one of the options is
	Reason         *string       `json:"reason"`
	ReasonMessage  *string       `json:"reason_message"` // of the operation's refusal
	CryptoAmount   *string       `json:"crypto_amount"`
	MinAmount      *string       `json:"min_amount"`
	MaxAmount      *string       `json:"max_amount"` // may be the word unlimited
	PercentRate    *string       `json:"percent_rate"`
	NetworkFee     *string       `json:"network_fee"`
	PaysNetworkFee *bool         `json:"pays_network_fee"`
	Price          *string       `json:"price"`
	PriceUpdatedAt *string       `json:"price_updated_at"`
	Options        []QuoteOption `json:"options"`
}

// QuoteOption is the result of a quote for one way to take the fees: a payout has one for each feetakenfromamount, a payin has one.
type QuoteOption struct {
	FeeTakenFromAmount *string `json:"feetakenfromamount"` // null for a payin
	Accepted           bool    `json:"accepted"`
	Reason             *string `json:"reason"`
	Gross              *string `json:"gross"` // debited for a payout, paid in for a payin
	RateFee            *string `json:"rate_fee"`
	NetworkFee         *string `json:"network_fee"` // the account's part of it
	Net                *string `json:"net"`         // got by the recipient, credited for a payin
	FiatAmount         *string `json:"fiat_amount"` // as shown by the operation

	message *string // of Reason
}

// quoteAsked is the query in good form.
type quoteAsked struct {
	network *pay.Network
	token   string
	text    string // the amount as sent
	amount  decimal.Decimal
	by      pay.ProcessBy
	fiat    string // "" when the amount is in the token
}

// quote answers GET /v1/quote by the code for payouts and payins.
func (q *Quotes) quote(c *Call) error {
	cat, err := q.Catalogues.For(c)
	if err != nil {
		return errService.Because(err)
	}
	asked, err := readQuote(c, cat)
	if err != nil {
		return err
	}
	out := &QuoteAnswer{Message: "quote_retrieved_success", Operation: c.Query("operation"), Network: asked.network.Name,
		CryptoCurrency: asked.token, FiatCurrency: asked.fiat, ProcessBy: string(asked.by), Options: []QuoteOption{}}
	if asked.fiat == "" {
		out.FiatCurrency = cat.FiatOf(&c.Caller.Merchant)
	}
	if price, ok := cat.Rates.Price(asked.token, out.FiatCurrency); ok {
		out.Price, out.PriceUpdatedAt = worded(price.Price), new(string)
		*out.PriceUpdatedAt = wireTime(price.At)
	}
	if out.Operation == "payin" {
		out.payin(c, cat, asked)
	} else {
		out.payout(c, cat, asked)
	}
	return c.JSON(http.StatusOK, out)
}

// readQuote wants every parameter in the form of the operations' own fields.
func readQuote(c *Call, cat *Catalogue) (*quoteAsked, error) {
	wrong := input.FieldErrors{}
	out := &quoteAsked{token: c.Query("token"), text: c.Query("amount"), by: pay.ByCrypto}
	if operation := c.Query("operation"); operation != "payout" && operation != "payin" {
		wrong.Add("operation", "must be payout or payin")
	}
	var known bool
	if out.network, known = pay.NetworkCalled(c.Query("network")); !known {
		wrong.Add("network", "is not a network")
	}
	if out.token == "" {
		wrong.Add("token", "is required")
	}
	var found input.Found
	if out.amount, found = input.AmountIn(out.text); found != input.Given {
		wrong.Add("amount", "must be a plain decimal above zero")
	}
	if code := c.Query("currency"); code != "" {
		fiat, ok := cat.Fiat(code)
		if !ok {
			wrong.Add("currency", "is not an accepted currency")
		} else {
			out.by, out.fiat = pay.ByFiat, fiat.Code
		}
	}
	return out, wrong.Err()
}

// token sets the fields that hold for any amount of the token.
func (a *QuoteAnswer) token(cat *Catalogue, t *pay.Token, least decimal.Decimal, most decimal.NullDecimal, rate decimal.Decimal, pays bool) {
	limit := orUnlimited(most)
	a.MinAmount, a.MaxAmount, a.PercentRate, a.PaysNetworkFee = worded(least), &limit, worded(rate), &pays
	if fee, ok := cat.NetworkFee(t); ok {
		a.NetworkFee = worded(fee)
	}
}

// option adds one; the answer is accepted when any is.
func (a *QuoteAnswer) option(o QuoteOption) {
	a.Options = append(a.Options, o)
	if a.Accepted = a.Accepted || o.Accepted; a.Accepted {
		a.Reason, a.ReasonMessage = nil, nil
	} else if a.Reason == nil {
		a.Reason, a.ReasonMessage = o.Reason, o.message
	}
}

// payout makes the checks of an item in their order (addendum §7), but for those of memo and address.
func (a *QuoteAnswer) payout(c *Call, cat *Catalogue, asked *quoteAsked) {
	checks := &payoutChecks{caller: c.Caller, catalogue: cat}
	for from, flag := range []string{"0", "1"} {
		d := asked.draft(from == 1)
		for _, check := range []func(*payoutDraft) *pay.Error{checks.tokenOnNetwork, checks.selectAmount, checks.feesAndLimits} {
			if d.problem = check(d); d.problem != nil {
				break
			}
		}
		if t := d.token; t != nil {
			terms := c.Caller.Terms(t.Network)
			a.token(cat, t, t.MinWithdrawal, t.MaxWithdrawal, terms.PaymentRate, terms.PaysPaymentNetworkFee)
		}
		if !d.amount.IsZero() {
			a.CryptoAmount = worded(d.amount)
		}
		o := QuoteOption{FeeTakenFromAmount: &flag, Accepted: d.problem == nil}
		if o.Accepted {
			p := &d.payout
			o.Gross, o.Net = worded(p.Debit), worded(p.Amount)
			o.RateFee, o.NetworkFee = worded(p.RateFee), worded(p.Debit.Sub(p.Amount).Sub(p.RateFee))
			o.FiatAmount = fiatText(p.FiatAmount)
		} else {
			o.Reason, o.message = &d.problem.Code, &d.problem.Message
		}
		a.option(o)
	}
}

// draft is the payout asked about, as far as the checks of its amounts read it.
func (q *quoteAsked) draft(feeFromAmount bool) *payoutDraft {
	d := &payoutDraft{network: q.network.Name, fiat: q.fiat, readable: true}
	d.object, _ = input.ObjectIn([]byte(`{"` + string(q.by) + `":"` + q.text + `"}`)) // digits and a dot
	d.payout.Token, d.payout.ProcessBy, d.payout.FeeFromAmount = q.token, q.by, feeFromAmount
	return d
}

// payin makes the checks of a payin, but for its memo. The credited amount is for one transfer of the whole.
func (a *QuoteAnswer) payin(c *Call, cat *Catalogue, asked *quoteAsked) {
	n, t, err := depositToken(cat, asked.network.Name, asked.token)
	if err != nil {
		a.Reason, a.ReasonMessage = reasonOf(err)
		return
	}
	terms := c.Caller.Terms(n.Name)
	a.token(cat, t, t.MinReceipt, t.MaxReceipt, terms.ReceiptRate, terms.PaysReceiptNetworkFee)
	p, quote, err := pricedPayin(c.Caller, cat, asked.order(), n, t)
	if quote != nil && !quote.Amount.IsZero() {
		a.CryptoAmount = worded(quote.Amount)
	}
	if err != nil {
		code, message := reasonOf(err)
		a.option(QuoteOption{Reason: code, message: message})
		return
	}
	rate, fee := ledger.CreditFees(p.Amount, p.PercentRate, p.NetworkFee, t.Precision)
	a.option(QuoteOption{Accepted: true, Gross: worded(p.Amount), RateFee: worded(rate), NetworkFee: worded(fee),
		Net: worded(p.Amount.Sub(rate).Sub(fee)), FiatAmount: quote.FiatText})
}

func (q *quoteAsked) order() *payinOrder {
	order := &payinOrder{Token: q.token, Network: q.network.Name, ProcessBy: q.by, Fiat: q.fiat}
	if q.by == pay.ByFiat {
		order.FiatAmount, order.FiatText = decimal.NewNullDecimal(q.amount), q.text
	} else {
		order.Crypto = decimal.NewNullDecimal(q.amount)
	}
	return order
}

// reasonOf returns the code and message of an operation's refusal.
func reasonOf(err error) (code, message *string) {
	refused := errInternal
	errors.As(err, &refused)
	return &refused.Code, &refused.Message
}

func worded(amount decimal.Decimal) *string {
	text := amount.String()
	return &text
}
