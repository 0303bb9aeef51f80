package simulation

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	sweepSeeds = flag.Int("sweep", 1, "how many seeds the sweep plays")
	sweepFrom  = flag.Int("sweep-from", 7, "the first of them")
	sweepOps   = flag.Int("sweep-ops", 120, "steps of each play of the sweep")
	sweepPlays = flag.Int("sweep-plays", 6, "plays that the points of a seed are spread over")
)

// TestCrashAtEachPoint finds out the points of a story, and then plays it again until a fiber has died at each of them:
// the first to come to the point dies there. A play has several such points. Points not reached in it, since a death
// changes the story, are taken on by the next. Points are named by the function and its act, so new code brings its
// own.
func TestCrashAtEachPoint(t *testing.T) {
	t.Parallel()
	sweep := &sweep{died: map[string]int{}}
	start := time.Now()
	t.Run("seed", func(t *testing.T) {
		for seed := *sweepFrom; seed < *sweepFrom+*sweepSeeds; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				sweep.crash(t, uint64(seed))
			})
		}
	})
	sweep.report(t, time.Since(start))
}

// sweep is the result of all plays.
type sweep struct {
	mu     sync.Mutex
	died   map[string]int // deaths by point
	plays  int
	missed int // points passed by a seed without a death at them
}

// crash sweeps the points of one seed.
func (s *sweep) crash(t *testing.T, seed uint64) {
	var w *world
	t.Run("without a crash", func(t *testing.T) { w = playFatal(t, seed, nil) })
	left := slices.Sorted(maps.Keys(w.passed))
	for i := range *sweepPlays {
		if t.Failed() || len(left) == 0 {
			break
		}
		chosen := map[string]bool{}
		for j := 0; j < len(left); j += *sweepPlays - i { // neighbours, in the alphabet and in the story, die in different plays
			chosen[left[j]] = true
		}
		t.Run(fmt.Sprint("play ", i+1), func(t *testing.T) { w = playFatal(t, seed, maps.Clone(chosen)) })
		left = s.count(left, chosen, w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed += len(left)
}

// count notes the deaths in a play, and returns the points without one yet.
func (s *sweep) count(points []string, chosen map[string]bool, w *world) (left []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plays++
	for _, name := range points {
		if chosen[name] && !w.fatal[name] {
			s.died[name]++
		} else {
			left = append(left, name)
		}
	}
	return left
}

// report prints the results, and fails if they are below the bar of 60 points.
func (s *sweep) report(t *testing.T, took time.Duration) {
	sides, deaths := map[string]int{}, 0
	for _, name := range slices.Sorted(maps.Keys(s.died)) {
		sides[kindOf(name)]++
		deaths += s.died[name]
		t.Logf("%4d × %s", s.died[name], name)
	}
	t.Logf("%d points (%v), %d deaths at them in %d plays, %d points not come to again, %v", len(s.died), sides, deaths, s.plays, s.missed,
		took.Round(time.Second))
	if !t.Failed() {
		require.GreaterOrEqual(t, len(s.died), 60)
		require.Less(t, s.missed*10, deaths)
	}
}

// kindOf sorts points: a commit, a ring, a question to a network, or a statement being a transaction of its own.
func kindOf(name string) string {
	_, what, _ := strings.Cut(name, ": ")
	side := what[strings.LastIndexByte(what, ' ')+1:]
	switch {
	case side == "begin":
		return "begin"
	case strings.Contains(what, "sandbox."):
		return "node call " + side
	case strings.Contains(what, "commit "):
		return "commit " + side
	case strings.Contains(what, "ring "):
		return "ring " + side
	}
	return "statement " + side
}

// playFatal plays a seed with a death at each of these points.
func playFatal(t *testing.T, seed uint64, points map[string]bool) *world {
	w := newWorld(t, seed)
	defer w.leave()
	w.replay = fmt.Sprintf("-run TestCrashAtEachPoint -sweep-from=%d -sweep=1 -sweep-ops=%d -sweep-plays=%d", seed, *sweepOps, *sweepPlays)
	w.fatal = points
	w.fund()
	w.run(*sweepOps, w.invariants)
	if !t.Failed() {
		w.rest()
	}
	if !t.Failed() {
		w.final()
	}
	return w
}

// TestLossAtEachStatement plays a story, and then once for each kind of loss: in each of these plays every statement
// and every commit of the story loses its connection once, each in another way than in the other plays.
func TestLossAtEachStatement(t *testing.T) {
	t.Parallel()
	for seed := *sweepFrom; seed < *sweepFrom+*sweepSeeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var w *world
			t.Run("without a loss", func(t *testing.T) { w = playSevered(t, uint64(seed), nil) })
			names, lost := slices.Sorted(maps.Keys(w.asked)), 0
			for play := range int(losses) - 1 {
				severed := map[string]loss{}
				for i, name := range names {
					severed[name] = 1 + loss((i+play)%(int(losses)-1))
				}
				t.Run(fmt.Sprint("play ", play+1), func(t *testing.T) { w = playSevered(t, uint64(seed), severed) })
				lost += w.lost
			}
			t.Logf("%d statements and commits, %d losses in %d plays", len(names), lost, losses-1)
			require.Greater(t, lost, 2*len(names)) // of four; a loss changes the story, and some answers have no rows
		})
	}
}

// playSevered plays a seed with lost connections for these statements, while it comes to rest, too.
func playSevered(t *testing.T, seed uint64, severed map[string]loss) *world {
	w := newWorld(t, seed)
	defer w.leave()
	w.replay = fmt.Sprintf("-run TestLossAtEachStatement -sweep-from=%d -sweep=1 -sweep-ops=%d", seed, *sweepOps)
	w.fund()
	w.severed = severed
	w.run(*sweepOps, w.invariants)
	if !t.Failed() {
		w.rest()
	}
	if !t.Failed() {
		w.final()
	}
	return w
}
