package panel

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// errNoPage means there is nothing at an address, or nothing of this merchant.
var errNoPage = errors.New("no such page")

// pageFunc makes a page for a person logged in.
type pageFunc func(v *visit) (*room.Page, error)

// act is an act of a person: the kind of right it takes, and its function. With proof, the password or a code must have been given
// within the last minutes. With code, the person must log in with a code.
type act struct {
	right people.Act
	do    func(v *visit) (outcome, error)
	proof func(v *visit) bool
	code  func(v *visit) bool
	anew  bool // the proof is given for this act alone: one of before does not count
	large bool // its form may carry a file, and its work may take a while
}

// outcome is a sentence about an act and where to go on, or a page of its own for something shown once.
type outcome struct {
	said   string
	to     string // below Prefix
	show   *room.Page
	cookie string // of the session from now on; empty for the one of before
}

const (
	patience    = 10 * time.Second // how long a page may ask the database
	largestForm = 64 << 10         // how many bytes a form has at most

	patienceLarge = time.Minute // the same of an act with a file
	largestUpload = 4 << 20
)

// page answers a page to a person logged in.
func (p *Panel) page(make pageFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, whole *http.Request) {
		r, cancel := bounded(whole)
		defer cancel()
		v, ok := p.enter(w, r)
		if !ok {
			return
		}
		v.All = r.URL.Query().Get("format") == "csv"
		made, err := make(v)
		switch {
		case err != nil:
			p.failed(w, r, err)
		case v.All && v.Wrong != "":
			p.problem(w, r, http.StatusBadRequest, "This filter cannot be read", v.Wrong)
		case v.All && made.List != nil:
			p.export(w, whole, v, made, make)
		default:
			p.show(w, r, v, made, http.StatusOK)
		}
	}
}

// parse reads the form of a request, with a file where it has one.
func parse(r *http.Request, large bool) error {
	if large && strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return r.ParseMultipartForm(largestUpload)
	}
	return r.ParseForm()
}

// bounded gives a page's questions to the database a time limit.
func bounded(r *http.Request) (*http.Request, context.CancelFunc) { return boundedBy(r, patience) }

func boundedBy(r *http.Request, most time.Duration) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), most)
	return r.WithContext(ctx), cancel
}

// enter returns the visit of a person logged in. Otherwise it has answered the request itself.
func (p *Panel) enter(w http.ResponseWriter, r *http.Request) (*visit, bool) {
	v, err := p.known(r)
	switch {
	case err == nil && v.session.Passed && v.Role == "" && !own(r.URL.Path):
		p.show(w, r, v, &room.Page{Title: "No merchant", Parts: []room.Part{{Mood: "warn",
			Note: "You act for no merchant any more. The owner of a merchant, or the operator of this service, can invite you again."}}}, http.StatusForbidden)
		return nil, false
	case err == nil && v.session.Passed:
		return v, true
	case err == nil || errors.Is(err, pay.ErrNotFound):
		p.toLogin(w, r)
	default:
		p.failed(w, r, err)
	}
	return nil, false
}

// act runs an act for a person with its right, and shows the result.
func (p *Panel) act(a act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		most, largest := patience, int64(largestForm)
		if a.large {
			most, largest = patienceLarge, largestUpload
		}
		r, cancel := boundedBy(r, most)
		defer cancel()
		v, ok := p.enter(w, r)
		if !ok {
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, largest)
		if err := parse(r, a.large); err != nil || !room.SameToken(r.PostForm.Get("csrf"), v.CSRF) {
			p.problem(w, r, http.StatusForbidden, "This form has expired", "Go back, reload the page and try again.")
			return
		}
		if !own(r.URL.Path) && !v.May(a.right) {
			p.problem(w, r, http.StatusForbidden, "Your role cannot do this", "As "+v.Role+" of "+v.Called+" you cannot "+string(a.right)+".")
			return
		}
		if !p.proves(w, r, v, a) {
			return
		}
		done, err := a.do(v)
		why, refused := refusal(err)
		switch {
		case refused:
			p.cookies.SetFlash(w, r, flashCookie, room.Flash{Mood: "bad", Text: why})
			http.Redirect(w, r, back(r), http.StatusSeeOther)
		case err != nil:
			p.failed(w, r, err)
		case done.show != nil:
			p.show(w, r, v, done.show, http.StatusOK)
		default:
			if done.cookie != "" {
				p.cookies.Set(w, r, sessionCookie, done.cookie, people.LongestTime)
			}
			p.cookies.SetFlash(w, r, flashCookie, room.Flash{Mood: "good", Text: done.said})
			to := back(r)
			if done.to != "" {
				to = Prefix + done.to
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
		}
	}
}

// refusal returns why something was not done, for the person to read.
func refusal(err error) (why string, refused bool) {
	var byAdmin admin.Refusal
	var byDesk people.Refusal
	switch {
	case errors.As(err, &byAdmin):
		return byAdmin.Error(), true
	case errors.As(err, &byDesk):
		return byDesk.Error(), true
	}
	return "", false
}

// back is the page a form was on, never one of another site.
func back(r *http.Request) string {
	var last string
	for _, last = range r.PostForm["back"] {
	}
	return room.Inside(last, Prefix)
}

func (p *Panel) show(w http.ResponseWriter, r *http.Request, v *visit, made *room.Page, status int) {
	made.Visit, made.CSRF, made.At = v, v.CSRF, v.URL.RequestURI()
	made.Menu, made.Flash = menu(v, made.Section), p.cookies.TakeFlash(w, r, flashCookie)
	p.write(w, status, "page.html", made)
}

// failed answers an error: nothing there, or a failure of ours. Only the log explains a failure.
func (p *Panel) failed(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, errNoPage), errors.Is(err, pay.ErrNotFound):
		p.problem(w, r, http.StatusNotFound, "Not found", "There is nothing at this address.")
	case errors.Is(r.Context().Err(), context.Canceled):
		p.Log.WithError(err).WithField("path", r.URL.Path).Debug("the client hung up")
		panic(http.ErrAbortHandler)
	default:
		p.Log.WithError(err).WithField("path", r.URL.Path).Error("the panel could not answer")
		p.problem(w, r, http.StatusInternalServerError, "Something went wrong",
			"Nothing was changed unless your merchant's audit shows it. You can safely reload the page.")
	}
}

func (p *Panel) problem(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	made := &room.Page{Title: title, Parts: []room.Part{{Note: text, Mood: "warn"}}}
	if v, err := p.known(r); err == nil && v.session.Passed {
		p.show(w, r, v, made, status)
		return
	}
	p.write(w, status, "plain.html", made)
}

// tooMany tells a sender of too many requests when to come back.
func (p *Panel) tooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	p.write(w, http.StatusTooManyRequests, "plain.html", &room.Page{Title: "Too many requests",
		Parts: []room.Part{{Note: "Too many requests come from your address. Try again in a minute."}}})
}

func (p *Panel) write(w http.ResponseWriter, status int, name string, data any) {
	if err := p.pages.Write(w, status, name, data); err != nil {
		p.Log.WithError(err).Error("a page could not be written")
	}
}
