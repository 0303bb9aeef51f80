package checkout

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// Links makes payment requests of payment links.
type Links interface {
	// Offered returns a link as its payer sees it, with what an amount comes to; null is the link's own. Pay.ErrNotFound is no link.
	Offered(ctx context.Context, slug string, amount decimal.NullDecimal) (*pay.OfferedLink, error)
	// Take returns the request of one payer and its payin. Before is the last request of this payer. A *pay.Error says why there is none.
	Take(ctx context.Context, slug string, amount decimal.Decimal, o pay.Offer, before uuid.UUID) (request, payin uuid.UUID, err error)
}

// LinkPrefix begins the path of the page of a payment link.
const LinkPrefix = Prefix + "link/"

// linkCookie names the last request of a payer by a link. It leads nobody else anywhere: whoever has the id of a request may see it.
const linkCookie = "causeway-link"

// linked is the page of a link: the payer says the amount there where the link has none, and chooses what to pay with.
type linked struct {
	*words
	*pay.OfferedLink
	Amount  decimal.NullDecimal // to be paid; null until the payer has said it
	Choices []choice
	Wrong   bool // the choice could not be made
	Refused bool // the amount cannot be paid
}

// link answers GET /pay/link/{slug}.
func (c *Checkout) link(w http.ResponseWriter, r *http.Request) {
	if page := c.linked(w, r, r.URL.Query().Get("amount")); page != nil {
		c.showLink(w, r, http.StatusOK, page)
	}
}

// linked reads the link named by the address, for an amount that the payer may have said. On a failure it answers, and returns nil.
func (c *Checkout) linked(w http.ResponseWriter, r *http.Request, said string) *linked {
	page := &linked{}
	page.Amount = amountSaid(said)
	var err error
	if page.OfferedLink, err = c.Links.Offered(r.Context(), r.PathValue("slug"), page.Amount); err != nil {
		c.failed(w, r, err)
		return nil
	}
	if page.Link.Amount.Valid {
		page.Amount = page.Link.Amount
		return page
	}
	if page.Refused = said != "" && (!page.Amount.Valid || !page.Link.Takes(page.Amount.Decimal)); page.Refused {
		page.Amount = decimal.NullDecimal{}
	}
	return page
}

// plainSum is an amount as people write it. After a comma stand one or two digits: 1,000 could be one or a thousand.
var plainSum = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,8}|,[0-9]{1,2})?$`)

// amountSaid reads an amount of a payer; null for anything else.
func amountSaid(text string) decimal.NullDecimal {
	text = strings.TrimSpace(text)
	if !plainSum.MatchString(text) {
		return decimal.NullDecimal{}
	}
	amount, err := decimal.NewFromString(strings.Replace(text, ",", ".", 1))
	return decimal.NullDecimal{Decimal: amount, Valid: err == nil && amount.IsPositive()}
}

// take answers POST /pay/link/{slug}.
func (c *Checkout) take(w http.ResponseWriter, r *http.Request) {
	if c.Takers != nil && c.Takers.Spend(r) > 0 {
		c.problem(w, r, http.StatusTooManyRequests, "busy")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	page := c.linked(w, r, r.PostFormValue("amount"))
	if page == nil {
		return
	}
	value := r.PostFormValue("offer")
	at := slices.IndexFunc(page.Tokens, func(t pay.OfferedToken) bool { return valueOf(t.Offer) == value })
	if at < 0 || !page.Amount.Valid {
		page.Wrong = true
		c.showLink(w, r, http.StatusBadRequest, page)
		return
	}
	request, payin, err := c.Links.Take(r.Context(), page.Link.Slug, page.Amount.Decimal, page.Tokens[at].Offer, lastRequest(r))
	var refusal *pay.Error
	if errors.As(err, &refusal) {
		c.Log.WithError(err).WithField("link", page.Link.Slug).Info("a payer's choice was refused")
		page.Wrong = true
		c.showLink(w, r, http.StatusConflict, page)
		return
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: linkCookie, Value: request.String(), MaxAge: int(pay.LinkLifetime.Seconds()), HttpOnly: true,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", SameSite: http.SameSiteLaxMode})
	c.lead(w, r, payin)
}

// lastRequest is the last request of this browser by the link; uuid.Nil for none.
func lastRequest(r *http.Request) uuid.UUID {
	kept, err := r.Cookie(linkCookie)
	if err != nil {
		return uuid.Nil
	}
	id, _ := uuid.Parse(kept.Value) // unreadable is none
	return id
}

func (c *Checkout) showLink(w http.ResponseWriter, r *http.Request, status int, page *linked) {
	page.words = wordsFor(r)
	page.Choices = c.choicesOf(page.Tokens)
	c.write(w, status, "link.html", page.words, page)
}

// Sum is the amount to be paid.
func (l *linked) Sum() string { return l.Money(l.Amount.Decimal) }

// Money writes an amount in the currency of the link.
func (l *linked) Money(amount decimal.Decimal) string {
	return sumIn(l.words, amount, l.Link.Currency, l.Link.IsFiat)
}
