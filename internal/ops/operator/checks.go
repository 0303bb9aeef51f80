package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/singleflight"
)

// patience is how long one check, or one look at Redis, may take.
const patience = 2 * time.Second

// Check is one thing a role needs to be of use.
type Check struct {
	Name  string
	Ask   func(ctx context.Context) error
	Aside bool // only told: without it the role is of use as well
	Here  bool // the process knows it by itself: Ready asks it each time, and the others once a second for all callers
}

// Alive answers 200 as long as the process serves requests, and the results of the told checks (operator §Roles).
func Alive(told ...Check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words := map[string]string{"status": "alive"}
		for name, err := range run(r.Context(), told) {
			words[name] = "alive"
			if err != nil {
				words[name] = "away"
			}
		}
		writeJSON(w, http.StatusOK, words)
	})
}

// aside returns the checks for Alive to tell.
func aside(checks []Check) (out []Check) {
	for _, c := range checks {
		if c.Aside {
			out = append(out, c)
		}
	}
	return out
}

// Ready answers 200 when every check except those aside passes, and 503 with the names of the failing ones otherwise. The reason is
// in the log only, once for each time a check begins to fail, since the API port answers this to anybody (operator §Roles).
func Ready(log logrus.FieldLogger, checks ...Check) http.Handler {
	needed := map[string]bool{}
	var here []Check
	outside := &sharedChecks{log: log, needed: needed}
	for _, c := range checks {
		needed[c.Name] = !c.Aside
		if c.Here {
			here = append(here, c)
		} else {
			outside.checks = append(outside.checks, c)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, word, results := http.StatusOK, "ready", map[string]string{}
		for _, some := range []map[string]error{outside.now(r.Context()), run(context.WithoutCancel(r.Context()), here)} {
			for name, err := range some {
				results[name] = "ok"
				if err != nil {
					results[name] = "failing"
				}
				if err != nil && needed[name] {
					status, word = http.StatusServiceUnavailable, "not ready"
				}
			}
		}
		writeJSON(w, status, map[string]any{"status": word, "checks": results})
	})
}

// sharedChecks are asked once for all callers at about the same time: anybody may ask, as often as they like.
type sharedChecks struct {
	checks  []Check
	needed  map[string]bool
	log     logrus.FieldLogger
	flights singleflight.Group

	mu      sync.Mutex
	results map[string]error
	at      time.Time
}

// goodFor is how long results of shared checks are answered again.
const goodFor = time.Second

func (s *sharedChecks) now(ctx context.Context) map[string]error {
	if known := s.known(); known != nil {
		return known
	}
	found, _, _ := s.flights.Do("", func() (any, error) {
		if known := s.known(); known != nil { // another flight has ended since
			return known, nil
		}
		return s.keep(run(context.WithoutCancel(ctx), s.checks)), nil // for others, too
	})
	return found.(map[string]error) // only such are returned above
}

func (s *sharedChecks) known() map[string]error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) >= goodFor {
		return nil
	}
	return s.results
}

// keep remembers results, and logs each needed check beginning or ceasing to fail.
func (s *sharedChecks) keep(results map[string]error) map[string]error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, err := range results {
		switch log := s.log.WithField("check", name); {
		case !s.needed[name] || (err == nil) == (s.results[name] == nil):
		case err != nil:
			log.WithError(err).Warn("not ready")
		default:
			log.Info("ready again")
		}
	}
	s.results, s.at = results, time.Now()
	return results
}

// run asks every check at once and waits at most patience, even if a check ignores its context.
func run(ctx context.Context, checks []Check) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	results := make(map[string]error, len(checks))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, c := range checks {
		all.Go(func() {
			err := within(ctx, func() error { return c.Ask(ctx) })
			mu.Lock()
			defer mu.Unlock()
			results[c.Name] = err
		})
	}
	all.Wait()
	return results
}

// within returns the error of ask, or the context's error if the context ends before.
func within(ctx context.Context, ask func() error) error {
	answer := make(chan error, 1)
	go func() { answer <- ask() }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	_ = out.Encode(body) // the client has gone
}
