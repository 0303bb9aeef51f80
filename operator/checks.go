package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
)

// patience is how long one check, or one look at Redis, may take.
const patience = 2 * time.Second

// Check is one thing that a role needs to be of use.
type Check struct {
	Name  string
	Ask   func(ctx context.Context) error
	Aside bool // only told: without it the role is of use as well
}

// Alive answers 200 as long as the process serves requests, and how what it is told of is (operator §Roles).
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

// aside are the checks that Alive tells of.
func aside(checks []Check) (out []Check) {
	for _, c := range checks {
		if c.Aside {
			out = append(out, c)
		}
	}
	return out
}

// Ready answers 200 when every check passes that is not aside and 503 otherwise, naming which fail; why is in the log only,
// since the API port answers this to anybody (operator §Roles).
func Ready(log logrus.FieldLogger, checks ...Check) http.Handler {
	needed := map[string]bool{}
	for _, c := range checks {
		needed[c.Name] = !c.Aside
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, word, results := http.StatusOK, "ready", map[string]string{}
		for name, err := range run(r.Context(), checks) {
			results[name] = "ok"
			if err != nil {
				results[name] = "failing"
			}
			if err != nil && needed[name] {
				status, word = http.StatusServiceUnavailable, "not ready"
				log.WithError(err).WithField("check", name).Warn("not ready")
			}
		}
		writeJSON(w, status, map[string]any{"status": word, "checks": results})
	})
}

// run asks every check at once and waits at most patience, also for a check that ignores its context.
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

// within returns what ask answers, or the context's error when that takes longer than the context lasts.
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
