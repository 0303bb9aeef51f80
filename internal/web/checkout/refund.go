package checkout

import (
	"errors"
	"net/http"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// refunding is the page on which a payer says where a refund goes, and sees it through.
type refunding struct {
	*words
	*pay.Promised
	Link     string // names the page
	Network  string // as wallets have it
	MemoWord string // "memo" or "tag"
	To       pay.Destination
	Would    *pay.Payout // what is to be confirmed; nil before
	Wrong    string      // why nothing was recorded: the end of a key, or ""
	Explain  string      // the transaction in an explorer, or ""
}

// promise answers GET /pay/refund/{link}.
func (c *Checkout) promise(w http.ResponseWriter, r *http.Request) {
	if p := c.promised(w, r); p != nil {
		c.refund(w, r, http.StatusOK, p)
	}
}

// promised returns the page of the refund named by the address. On a failure it answers, and returns nil.
func (c *Checkout) promised(w http.ResponseWriter, r *http.Request) *refunding {
	link := r.PathValue("link")
	p, err := c.Refunds.Promised(r.Context(), link)
	if err != nil {
		c.failed(w, r, err)
		return nil
	}
	n := c.Networks(p.Refund.Network)
	out := &refunding{Promised: p, Link: link, MemoWord: memoWord(p.Refund.Network), Network: networkName(p.Refund.Network, p.Contract, n.Called)}
	if p.Payout != nil && p.Payout.Txid != nil {
		out.Explain = n.explain(*p.Payout.Txid)
	}
	return out
}

// give answers POST /pay/refund/{link}: first with what the payer would get, and once he has confirmed these figures, by recording it. A
// form that is sent again shows what became of the refund.
func (c *Checkout) give(w http.ResponseWriter, r *http.Request) {
	p := c.promised(w, r)
	if p == nil {
		return
	}
	if p.Status != pay.RefundOpen {
		c.refund(w, r, http.StatusOK, p)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	p.To = pay.Destination{Wallet: strings.TrimSpace(r.PostFormValue("wallet")), Memo: strings.TrimSpace(r.PostFormValue("memo"))}
	shown, err := decimal.NewFromString(plainFigure(r.PostFormValue("shown")))
	if err == nil && r.PostFormValue("confirmed") != "" {
		err = c.Refunds.Give(r.Context(), p.Link, p.To, shown)
		if err == nil {
			w.Header().Set("Location", p.Link+"?lang="+wordsFor(r).Lang)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		if !c.refusedRefund(w, r, p, err) || p.Wrong != wrongFigures {
			return
		}
	}
	c.rehearse(w, r, p)
}

// wrongFigures is said of a refund that would bring less than was shown: the new figures are shown beside it.
const wrongFigures = "figures"

// rehearse shows what the payer would get.
func (c *Checkout) rehearse(w http.ResponseWriter, r *http.Request, p *refunding) {
	would, err := c.Refunds.Rehearse(r.Context(), p.Link, p.To)
	if err != nil {
		c.refusedRefund(w, r, p, err)
		return
	}
	p.Would = would
	c.refund(w, r, http.StatusOK, p)
}

// refusedRefund answers an error. It only notes that the figures have changed, and reports whether the error was a refusal.
func (c *Checkout) refusedRefund(w http.ResponseWriter, r *http.Request, p *refunding, err error) bool {
	var refusal *pay.Error
	if !errors.As(err, &refusal) || refusal.Kind == pay.Internal {
		c.failed(w, r, err)
		return false
	}
	c.Log.WithError(err).WithField("refund", p.Refund.ID).Info("a payer's refund was refused")
	switch refusal.Code {
	case "figures_changed":
		p.Wrong = wrongFigures
		return true
	case "refund_not_open":
		c.promise(w, r)
		return true
	case "invalid_format":
		p.Wrong = "address"
	case "memo_required":
		p.Wrong = "memo"
	default:
		p.Wrong = "later"
	}
	c.refund(w, r, http.StatusConflict, p)
	return true
}

// plainFigure is a figure that a page has put into its form; "" for anything else.
func plainFigure(text string) string {
	const longest = 60
	if len(text) > longest || strings.Trim(text, "0123456789.") != "" {
		return ""
	}
	return text
}

func (c *Checkout) refund(w http.ResponseWriter, r *http.Request, status int, page *refunding) {
	page.words = wordsFor(r)
	c.write(w, status, "refund.html", page.words, page)
}

// Moving reports whether the page is to be looked at again soon.
func (p *refunding) Moving() bool { return p.Status == pay.RefundPending }

// Gets is what the payer would get, or will.
func (p *refunding) Gets() decimal.Decimal {
	switch {
	case p.Would != nil:
		return p.Would.Amount
	case p.Payout != nil:
		return p.Payout.Amount
	}
	return p.Refund.Amount
}

// Fees are what is taken from the amount; zero where the merchant bears them.
func (p *refunding) Fees() decimal.Decimal {
	if p.Would == nil || !p.Refund.FeeFromAmount {
		return decimal.Zero
	}
	return p.Would.Debit.Sub(p.Would.Amount)
}

// Until is the end of the link, for people.
func (p *refunding) Until() string {
	if p.Refund.ExpiresAt == nil {
		return ""
	}
	return p.Refund.ExpiresAt.UTC().Format("2006-01-02 15:04") + " UTC"
}
