package checkout

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/web/pages"
	"causeway/internal/web/qr"
)

//go:embed pages
var files embed.FS

// written are the pages; they name their styles and scripts from Prefix, to work under any path before it.
var written = pages.New(files, "", nil)

// shown is a page in one language.
type shown struct {
	*view
	*words
	Wrong bool     // the amount to pay could not be read
	Code  *qr.Code // with the amount, where wallets read one
	Plain *qr.Code // of the address alone, where Code holds more
}

// problem is a page saying why there is none.
type problem struct {
	*words
	Why string // key
	Up  string // the way from this address to Prefix
}

// show answers GET /pay/{reference}.
func (c *Checkout) show(w http.ResponseWriter, r *http.Request) {
	if v := c.named(w, r); v != nil {
		c.page(w, r, http.StatusOK, &shown{view: v})
	}
}

// named returns the view of the payin named by the address. On a failure it answers, and returns nil.
func (c *Checkout) named(w http.ResponseWriter, r *http.Request) *view {
	id, ok := reference(r)
	if !ok {
		c.problem(w, r, http.StatusNotFound, "missing")
		return nil
	}
	v, err := c.view(r.Context(), id)
	if err != nil {
		c.failed(w, r, err)
		return nil
	}
	return v
}

func (c *Checkout) page(w http.ResponseWriter, r *http.Request, status int, page *shown) {
	page.words = wordsFor(r)
	if err := page.draw(); err != nil {
		c.failed(w, r, err)
		return
	}
	c.write(w, status, "page.html", page.words, page)
}

// live writes the changing part of a page.
func (c *Checkout) live(v *view, in *words) ([]byte, error) {
	page := &shown{view: v, words: in}
	err := page.draw()
	var out bytes.Buffer
	if err == nil {
		err = written.Execute(&out, "live", page)
	}
	if err != nil {
		c.Log.WithError(err).Error("a payment page could not be written")
	}
	return out.Bytes(), err
}

// draw makes the QR codes, where there is something to pay.
func (p *shown) draw() (err error) {
	if !p.Open() {
		return nil
	}
	if p.Code, err = qr.Make(p.URI); err == nil && p.HasURI {
		p.Plain, err = qr.Make(p.Wallet)
	}
	return err
}

// problem answers with a page naming the fault, never with half a page.
func (c *Checkout) problem(w http.ResponseWriter, r *http.Request, status int, why string) {
	below := strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), Prefix), "/")
	in := wordsFor(r)
	c.write(w, status, "problem.html", in, &problem{words: in, Why: why, Up: strings.Repeat("../", below)})
}

// headed is a page with a head.
type headed interface{ Head() head }

func (c *Checkout) write(w http.ResponseWriter, status int, name string, in *words, data headed) {
	frame(w.Header(), data.Head().Look.Sites)
	w.Header().Set("Content-Language", in.Lang)
	w.Header().Add("Vary", "Accept-Language")
	if err := written.Write(w, status, name, data); err != nil {
		c.Log.WithError(err).Error("a payment page could not be written")
	}
}

// T returns a text in the page's language.
func (w *words) T(key string, pairs ...string) (string, error) { return w.say(key, pairs...) }

// Languages lists the languages of the page.
func (w *words) Languages() []*words { return languages }

// Link is the payment URI for an address of the page: it was put together here, of an address that we made and
// of escaped values.
func (p *shown) Link() template.URL { return template.URL(p.URI) }

// Arrived is the amount credited or on its way, in the payin's token.
func (p *shown) Arrived() string {
	if p.Missing == "" {
		return p.Amount
	}
	return decimal.RequireFromString(p.Amount).Sub(decimal.RequireFromString(p.Missing)).String()
}

// Worth is the amount in the merchant's currency.
func (p *shown) Worth() string { return p.N(p.Fiat) + " " + p.FiatCode }

// Clock writes the time left as a clock shows it.
func (p *shown) Clock() string {
	left := time.Duration(p.Left) * time.Second
	hours, minutes, seconds := int(left/time.Hour), int(left/time.Minute)%60, int(left/time.Second)%60
	if hours > 0 {
		return fmt.Sprintf("%d:%02d:%02d", hours, minutes, seconds)
	}
	return fmt.Sprintf("%d:%02d", minutes, seconds)
}

// Moment writes a time for people; the script turns it into the payer's own.
func (p *shown) Moment(t time.Time) string { return t.Format("2006-01-02 15:04") + " UTC" }

// Moved differs between two views when a payment was seen, credited or taken back between them.
func (p *shown) Moved() string {
	credited := 0
	for i := range p.Payments {
		if p.Payments[i].Credited {
			credited++
		}
	}
	return fmt.Sprintf("%s %s %s %d %d", p.State, p.Received, p.Missing, len(p.Payments)+p.More, credited)
}

// Stamp writes a time for the script.
func (p *shown) Stamp(t time.Time) string { return t.Format(time.RFC3339) }

// Last is the newest payment's time, or else the payin's own.
func (p *shown) Last() time.Time {
	if len(p.Payments) == 0 {
		return p.Updated
	}
	return p.Payments[len(p.Payments)-1].At
}

// file serves a style or script.
func (c *Checkout) file(w http.ResponseWriter, r *http.Request) {
	if !written.ServeFile(w, r) {
		c.problem(w, r, http.StatusNotFound, "missing")
	}
}
