package checkout

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// asked is the page on which a payer chooses what to pay with.
type asked struct {
	*words
	*pay.Offered
	Choices []choice
	Wrong   bool // the choice could not be made
}

// choice is one token with the networks that it can be paid on.
type choice struct {
	Token    string
	Networks []networkChoice
}

type networkChoice struct {
	Value  string // of the button
	Name   string // of the network, as wallets have it
	Amount string
}

// offer answers GET /pay/request/{reference}. As soon as something was paid, the page of the payin shows how it stands.
func (c *Checkout) offer(w http.ResponseWriter, r *http.Request) {
	if o := c.offered(w, r); o != nil {
		c.ask(w, r, http.StatusOK, &asked{Offered: o})
	}
}

// offered returns the request named by the address. On a failure it answers, and returns nil.
func (c *Checkout) offered(w http.ResponseWriter, r *http.Request) *pay.Offered {
	id, ok := reference(r)
	if !ok {
		c.problem(w, r, http.StatusNotFound, "missing")
		return nil
	}
	o, err := c.Requests.Offered(r.Context(), id)
	if err != nil {
		c.failed(w, r, err)
		return nil
	}
	if o.Paying != uuid.Nil {
		c.lead(w, r, o.Paying)
		return nil
	}
	return o
}

// choose answers POST /pay/request/{reference}.
func (c *Checkout) choose(w http.ResponseWriter, r *http.Request) {
	o := c.offered(w, r)
	if o == nil {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	value := r.PostFormValue("offer")
	at := slices.IndexFunc(o.Tokens, func(t pay.OfferedToken) bool { return valueOf(t.Offer) == value })
	if at < 0 {
		c.ask(w, r, http.StatusBadRequest, &asked{Offered: o, Wrong: true})
		return
	}
	payin, err := c.Requests.Choose(r.Context(), o.Request.ID, o.Tokens[at].Offer, wordsFor(r).Lang)
	var refusal *pay.Error
	if errors.As(err, &refusal) {
		c.Log.WithError(err).WithField("request", o.Request.ID).Info("a payer's choice was refused")
		c.ask(w, r, http.StatusConflict, &asked{Offered: o, Wrong: true})
		return
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	c.lead(w, r, payin)
}

// lead sends the payer on to the page of a payin, under whatever path a proxy serves it.
func (c *Checkout) lead(w http.ResponseWriter, r *http.Request, payin uuid.UUID) {
	w.Header().Set("Location", "../"+payin.String()+"?lang="+wordsFor(r).Lang)
	w.WriteHeader(http.StatusSeeOther)
}

func (c *Checkout) ask(w http.ResponseWriter, r *http.Request, status int, page *asked) {
	page.words = wordsFor(r)
	page.Choices = c.choicesOf(page.Tokens)
	c.write(w, status, "request.html", page.words, page)
}

// choicesOf puts the networks of each token together.
func (c *Checkout) choicesOf(tokens []pay.OfferedToken) (out []choice) {
	for _, t := range tokens {
		if n := len(out); n == 0 || out[n-1].Token != t.Token {
			out = append(out, choice{Token: t.Token})
		}
		one := &out[len(out)-1]
		one.Networks = append(one.Networks, networkChoice{valueOf(t.Offer), networkName(t.Network, t.Contract, c.Networks(t.Network).Called), t.Amount.String()})
	}
	return out
}

// valueOf is an offer as a form sends it.
func valueOf(o pay.Offer) string { return o.Token + " " + o.Network }

// Sum is the amount asked for.
func (a *asked) Sum() string { return a.money(a.Request.Amount) }

// money writes an amount in the currency of the request.
func (a *asked) money(amount decimal.Decimal) string {
	return sumIn(a.words, amount, a.Request.Currency, a.Request.IsFiat)
}

// sumIn writes an amount with its currency in a language.
func sumIn(in *words, amount decimal.Decimal, currency string, isFiat bool) string {
	text := amount.String()
	if isFiat {
		text = fiatText(amount, currency)
	}
	return in.N(text) + " " + currency
}

// Price is how many of an item there are, and the amount of one where it has one.
func (a *asked) Price(i pay.Item) string {
	count := "× " + a.N(strconv.FormatInt(i.Quantity, 10))
	amount, err := decimal.NewFromString(i.Amount)
	if err != nil {
		return count
	}
	return count + " · " + a.money(amount)
}

// Until is the request's end, for people; the script is not needed for it.
func (a *asked) Until() string { return a.Request.ExpiresAt.UTC().Format("2006-01-02 15:04") + " UTC" }

// Stamp is Until for the browser.
func (a *asked) Stamp() string { return a.Request.ExpiresAt.UTC().Format(time.RFC3339) }

// Open reports whether the payer may choose.
func (a *asked) Open() bool { return a.Status == pay.RequestOpen && len(a.Choices) > 0 }
