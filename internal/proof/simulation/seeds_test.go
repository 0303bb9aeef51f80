package simulation

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	seeds      = flag.Int("seeds", 14, "how many seeds are played")
	from       = flag.Int("from", 1, "the first of them")
	operations = flag.Int("ops", 100, "steps of each; make simulate takes 500")
)

// TestSeeds plays seeds. A failing one says how to see it again.
func TestSeeds(t *testing.T) {
	for seed := *from; seed < *from+*seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			play(t, uint64(seed), *operations)
		})
	}
}

// play plays one seed from its beginning until everything has come to rest.
func play(t *testing.T, seed uint64, operations int) *world {
	return newWorld(t, seed).play(operations)
}

func (w *world) play(operations int) *world {
	t, seed := w.t, w.seed
	defer w.leave()
	w.replay = fmt.Sprintf("-run TestSeeds -from=%d -seeds=1 -ops=%d", seed, operations)
	w.fund()
	w.cuts = seed%2 == 1
	w.run(operations, w.invariants)
	w.cuts = false
	if t.Failed() {
		return w
	}
	w.rest()
	if !t.Failed() {
		w.final()
		t.Logf("story %016x: %s; %d points passed, %d of them different, %d connections lost", w.digest(), w.summary(), w.pointsPassed(),
			len(w.passed), w.lost)
	}
	return w
}

// TestACrowdOfProcesses plays seeds in which most processes stop in the middle of their work: eight workers and more at once, two of them
// signers, beside three relays.
func TestACrowdOfProcesses(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			w.crowded = true
			w.play(*operations)
			t.Logf("at once in the middle of a job: %d workers, at most %d of them signers", w.most.workers, w.most.signers)
			require.GreaterOrEqual(t, w.most.workers, 8)
			require.GreaterOrEqual(t, w.most.signers, 2)
		})
	}
}

// leave ends the fibers left in the middle by a failed check.
func (w *world) leave() {
	for len(w.stopped) > 0 {
		w.proceed(0, die)
	}
}

// TestSeedsThatFailedOnce plays seeds again after a mistake of theirs was mended. In 240 a network rejected everything,
// and one transaction after the other was signed in its place. In 250 it had undone the completion of a payout and
// rejected its newest payment; it would have taken the older one, and this was not sent.
func TestSeedsThatFailedOnce(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{240, 250} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			play(t, seed, 500)
		})
	}
}

// TestTheSameSeedIsTheSameStory: two plays of a seed take the same steps with the same outcomes, and have the same digest.
func TestTheSameSeedIsTheSameStory(t *testing.T) {
	t.Parallel()
	var stories [2][]string
	var digests [2]uint64
	for i := range stories {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := play(t, 7, 200)
			stories[i], digests[i] = w.past, w.digest()
		})
	}
	for i := range stories[0] {
		require.Less(t, i, len(stories[1]), "the second play is shorter")
		require.Equal(t, stories[0][i], stories[1][i], "step %d, after %q", i, stories[0][max(0, i-6):i])
	}
	require.Len(t, stories[1], len(stories[0]))
	require.Equal(t, digests[0], digests[1])
}
