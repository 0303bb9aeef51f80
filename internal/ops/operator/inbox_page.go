package operator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/internal/store"
)

// onPage is how many webhooks the page shows; the JSON answer has all kept ones.
const onPage = 100

// shown is a received webhook in the JSON answer (operator §dev).
type shown struct {
	Name       string            `json:"name"`
	Delivery   string            `json:"delivery"`
	Headers    map[string]string `json:"headers"`
	Body       any               `json:"body"` // the JSON received, or else the text
	Verified   bool              `json:"verified"`
	ReceivedAt string            `json:"received_at"`
}

// show answers the inbox, or one name of it: a page, or JSON on request. ?after=<id> answers the newer ones only, as a piece of the
// page, for the script to keep it up to date.
func (in *inbox) show(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	limit, asJSON := onPage, wantsJSON(r)
	if asJSON {
		limit = store.InboxSize
	}
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64) // unreadable: everything
	name := r.PathValue("name")
	found, err := in.store.Inbox(r.Context(), name, after, limit)
	if err != nil {
		in.log.WithError(err).Warn("the inbox could not be read")
		http.Error(w, "the inbox could not be read; the log says why", http.StatusServiceUnavailable)
		return
	}
	switch {
	case asJSON:
		writeJSON(w, http.StatusOK, jsonOf(found))
	case r.URL.Query().Has("after"):
		in.newer(w, found)
	default:
		render(w, in.log, "inbox.html", in.page(r, name, found))
	}
}

// wantsJSON reports whether a client asks for JSON rather than for a page.
func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	page, data := strings.Index(accept, "text/html"), strings.Index(accept, "application/json")
	return data >= 0 && (page < 0 || data < page) || r.URL.Query().Get("format") == "json"
}

func jsonOf(found []store.Received) []shown {
	out := make([]shown, len(found))
	for i, r := range found {
		out[i] = shown{Name: r.Name, Delivery: r.Delivery, Headers: r.Headers, Body: string(r.Body), Verified: r.Verified,
			ReceivedAt: r.ReceivedAt.UTC().Format(time.RFC3339Nano)}
		if json.Valid(r.Body) {
			out[i].Body = json.RawMessage(r.Body)
		}
	}
	return out
}

// letters is the content of the inbox page.
type letters struct {
	Name     string // empty: every name
	Address  string // where to send to
	Source   string // the page's own address
	Newest   int64
	Letters  []letter
	Names    []string // with something in them
	Complete bool     // nothing older is kept
	Menu     menu
}

// letter is one webhook on the page.
type letter struct {
	store.Received
	Event, Status, Amount, Reference string
	Pretty                           string
	Signed                           []header // the headers of ours
}

type header struct{ Name, Value string }

func (in *inbox) page(r *http.Request, name string, found []store.Received) letters {
	p := letters{Name: name, Source: "/inbox/" + url.PathEscape(name), Letters: in.lettersOf(found), Complete: len(found) < onPage, Menu: in.menu}
	sendTo := name
	if name == "" {
		sendTo = "orders"
	}
	p.Address = (&url.URL{Scheme: "http", Host: r.Host, Path: "/inbox/" + sendTo}).String()
	for _, l := range p.Letters {
		p.Newest = max(p.Newest, l.ID)
		if !slices.Contains(p.Names, l.Name) {
			p.Names = append(p.Names, l.Name)
		}
	}
	slices.Sort(p.Names)
	return p
}

// newer answers a piece of the page, or 204 when there is nothing new.
func (in *inbox) newer(w http.ResponseWriter, found []store.Received) {
	if len(found) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	render(w, in.log, "letters", in.lettersOf(found))
}

// lettersOf prepares webhooks for the page, newest first.
func (in *inbox) lettersOf(found []store.Received) []letter {
	out := make([]letter, 0, len(found))
	for _, r := range slices.Backward(found) {
		l := letter{Received: r, Pretty: pretty(r.Body)}
		l.summarise()
		for _, name := range []string{"-Signature", "-Timestamp", "-Delivery"} {
			if value := r.Headers[http.CanonicalHeaderKey(in.prefix+name)]; value != "" {
				l.Signed = append(l.Signed, header{http.CanonicalHeaderKey(in.prefix + name), value})
			}
		}
		out = append(out, l)
	}
	return out
}

// summarise takes the main facts from a body of ours; another shape has no summary.
func (l *letter) summarise() {
	var body struct {
		Event string `json:"event"`
		Data  struct {
			Status    string `json:"status"`
			Reference string `json:"reference_id"`
			Network   string `json:"network"`
			Amount    string `json:"crypto_amount"`
			Currency  string `json:"crypto_currency"`
		} `json:"data"`
	}
	if json.Unmarshal(l.Body, &body) != nil {
		return
	}
	l.Event, l.Status, l.Reference = body.Event, body.Data.Status, body.Data.Reference
	if body.Data.Amount != "" {
		l.Amount = body.Data.Amount + " " + body.Data.Currency + " on " + body.Data.Network
	}
}

// mostBrackets is up to how many opening brackets a body is indented: deep nesting would grow by its square.
const mostBrackets = 500

// pretty indents JSON and leaves anything else as it came.
func pretty(body []byte) string {
	var out bytes.Buffer
	if bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) <= mostBrackets && json.Indent(&out, body, "", "  ") == nil {
		return out.String()
	}
	return strings.ToValidUTF8(string(body), "\ufffd")
}
