package desk

import (
	"regexp"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/tasks"
)

// A repeated failure is logged once, and its repetitions within repeatsFor are counted. No more reasons than mostRepeats are
// remembered: others are logged each time.
const (
	repeatsFor  = time.Minute
	mostRepeats = 1000
)

var figures = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9][0-9.]*`)

// repeats are the failures of jobs logged a moment ago.
type repeats struct {
	mu   sync.Mutex
	said map[[2]string]*repeated // by kind of job, with its network or nothing, and reason, without the reason's figures and hashes
	next time.Time               // when the oldest is told again
}

// repeated is one such failure.
type repeated struct {
	since time.Time
	times int // after it was logged
	last  string
}

// FreshOn is Fresh for a job's remarks on one network while it goes on.
func (d *Desk) FreshOn(network string, kind tasks.Kind, reason string) bool {
	return d.Fresh(string(kind)+" "+network, reason)
}

// Fresh counts a failure of a kind of job, and reports whether it is to be logged.
func (d *Desk) Fresh(kind, reason string) bool { return d.repeats.fresh(kind, reason, time.Now()) }

// TellRepeats logs how often failures came again, once a minute.
func (d *Desk) TellRepeats() { d.repeats.tell(d.Log, time.Now()) }

// fresh counts a failure, and reports whether it is to be logged: it was not within repeatsFor.
func (r *repeats) fresh(kind, reason string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{kind, figures.ReplaceAllString(reason, "")}
	if known := r.said[key]; known != nil {
		known.times++
		known.last = reason
		return false
	}
	if r.said == nil {
		r.said = map[[2]string]*repeated{}
	}
	if len(r.said) < mostRepeats {
		r.said[key] = &repeated{since: now, last: reason}
		if len(r.said) == 1 {
			r.next = now.Add(repeatsFor)
		}
	}
	return true
}

// tell logs how often the failures logged repeatsFor ago came again, and forgets those without repetitions.
func (r *repeats) tell(log logrus.FieldLogger, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.said) == 0 || now.Before(r.next) {
		return
	}
	r.next = now.Add(repeatsFor)
	for key, known := range r.said {
		switch due := known.since.Add(repeatsFor); {
		case due.After(now):
			if due.Before(r.next) {
				r.next = due
			}
		case known.times == 0:
			delete(r.said, key)
		default:
			log.WithFields(logrus.Fields{"job": key[0], "times": known.times, "error": known.last}).Warn("jobs failed again for the same reason")
			known.since, known.times = now, 0
		}
	}
}
