package scheduler

import (
	"errors"
	"time"
)

// again is how long an outage lasts until the log says so once more.
const again = time.Minute

// errUnread means the database did not say which jobs are due.
var errUnread = errors.New("the database did not answer")

const (
	unread   = "due jobs could not be read"
	unrung   = "Redis does not answer: everything is done, but later"
	readNow  = "due jobs can be read again"
	ringsNow = "Redis answers again"
)

// outage is the present outage in the relay's log: a line when it begins, one a minute, and one when it is over.
type outage struct {
	what string // empty: there is none
	why  error  // seen last
	at   time.Time
}

// tell logs the result of looking for due jobs, when it is news. While the bell is silent the relay looks for nothing, and the
// outage goes on.
func (r *Relay) tell(err error, now time.Time) {
	what := ""
	switch {
	case errors.Is(err, errUnread):
		what = unread
	case err != nil || r.silent:
		what = unrung
	}
	if before := r.said.what; before != "" && before != what {
		over := readNow
		if before == unrung {
			over = ringsNow
		}
		r.Log.Info(over)
	}
	if err != nil {
		r.said.why = err
	}
	if what != "" && (what != r.said.what || now.Sub(r.said.at) >= again) {
		r.Log.WithError(r.said.why).Warn(what)
		r.said.at = now
	}
	r.said.what = what
}
