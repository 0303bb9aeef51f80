package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/workers/desk"
)

const (
	// addressesAtOnce is how many addresses one question to a network names.
	addressesAtOnce = 200
	// networksAtOnce is how many networks are asked at a time.
	networksAtOnce = 8
	// networksFor is how long the networks of one job may take together. When an operator looks, it is how long one network may be silent.
	networksFor = 10 * time.Second
	// slowShare: a network is slow if it takes this part of networksFor to answer, two seconds.
	slowShare = 5
	// networkShare: a slow network rests this many times as long as it took, so looking at it takes a twentieth of the time.
	networkShare = 20
	// longestRest is the longest rest of a slow network. The last findings stand until then.
	longestRest = 10 * time.Minute
)

func (w *Worker) lookFor() time.Duration { return cmp.Or(w.LookFor, networksFor) }

// errMoved ends a look at a network reorganised below it.
var errMoved = errors.New("the network has reorganised meanwhile")

// lookAround looks at each followed network, and asks each of the others whether its node answers: an answering one has no look. A
// silent network says nothing about the others.
func (w *Worker) lookAround(ctx context.Context, looks map[string]*store.Look,
	at func(context.Context, *chains.Network, *store.Look, *expected) error) []*store.Look {
	networks := w.Networks.All()
	known, unread := w.expectedHoldings(ctx, networks...)
	var mu sync.Mutex
	var g errgroup.Group
	asked := 0
	w.tell("asking the networks", asked, len(networks))
	g.SetLimit(networksAtOnce)
	out := make([]*store.Look, 0, len(networks))
	for _, n := range networks {
		l, b := cmp.Or(looks[n.Name], &store.Look{Network: n.Name}), known[n.Name]
		if unread == nil && b == nil {
			l = &store.Look{Network: n.Name}
		}
		out = append(out, l)
		g.Go(func() error {
			err := unread
			switch {
			case err != nil:
			case b == nil:
				err = gather.Recover(func() error { return w.answers(ctx, n) })
			case !l.Rests:
				err = gather.Recover(func() error { return at(ctx, n, l, b) })
			}
			if errors.Is(err, gather.ErrPanic) { // how far it came is not known
				w.LogFor(n).WithError(err).Error("a network could not be compared with the books")
				l.Going = nil
			}
			if err != nil {
				l.Unreached = desk.ReasonOf(err)
			}
			mu.Lock()
			defer mu.Unlock()
			asked++
			w.tell("asking the networks", asked, len(networks))
			return nil
		})
	}
	_ = g.Wait() // the errors are in the looks
	return slices.DeleteFunc(out, func(l *store.Look) bool { return unread == nil && known[l.Network] == nil && l.Unreached == "" })
}

// answers makes sure that the node of a network not followed yet answers: there is nothing to compare there.
func (w *Worker) answers(ctx context.Context, n *chains.Network) error {
	ctx, cancel := context.WithTimeout(ctx, w.lookFor())
	defer cancel()
	if _, err := n.Scanner.Head(ctx, -1); err != nil {
		return fmt.Errorf("not followed yet: %w", err)
	}
	return nil
}

// lookOn goes on with a look for as long as the context allows, and leaves the rest to the next call. A failed look begins again.
func (w *Worker) lookOn(ctx context.Context, n *chains.Network, l *store.Look, b *expected) error {
	if l.Going != nil {
		hash, err := n.Scanner.Hash(ctx, l.Going.Height)
		if err != nil {
			return fmt.Errorf("the block of a look that goes on: %w", err)
		}
		if hash != l.Going.Hash {
			l.Going = nil
		}
	}
	l.Asked = 0
	err := w.compare(ctx, n, l, b)
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil:
		l.Going = nil
		return err
	case l.Asked == 0:
		return err
	default:
		l.Unreached = ""
		return nil
	}
}

// lookWhole looks at every address until the end, as long as the network goes on answering.
func (w *Worker) lookWhole(ctx context.Context, n *chains.Network, l *store.Look, b *expected) error {
	l.Going, l.HeldAt = nil, time.Time{}
	for {
		patient, cancel := context.WithTimeout(ctx, w.lookFor())
		err := w.lookOn(patient, n, l, b)
		cancel()
		if err != nil || l.Ended {
			return err
		}
	}
}

// compare goes on with a look to its end. Differences unlike the last ones are looked at once more, at every address: the network may
// have moved in between.
func (w *Worker) compare(ctx context.Context, n *chains.Network, l *store.Look, b *expected) error {
	for again := false; ; again = true {
		began := time.Now()
		if l.Going == nil {
			if err := w.takeOff(ctx, n, b); err != nil {
				return err
			}
			l.Going = &store.Going{Height: b.at.Height, Hash: b.at.Hash, Want: b.want, Books: b.mended, Began: began,
				All: again || asksAll(l, began), Again: again, Unsettled: b.undone, Stopped: b.stopped, ColdAt: b.cold, Unready: b.unready}
		}
		err := w.holdings(ctx, n, l)
		l.Going.Took += time.Since(began)
		if err != nil {
			return err
		}
		if hash, err := n.Scanner.Hash(ctx, l.Going.Height); err != nil || hash != l.Going.Hash {
			return cmp.Or(err, errMoved)
		}
		if err := w.addUp(ctx, n, l); err != nil {
			return err
		}
		if err := settleSurpluses(ctx, n, l); err != nil {
			return err
		}
		found := differences(n.Name, l)
		if len(found) == 0 || l.Going.Again || sameDifferences(found, l.Found) {
			l.Found, l.Corrected, l.Unreached, l.Ended, l.HeldAt = found, l.Going.Books, "", true, l.Going.Began
			noteSurpluses(n.Name, l)
			l.Holds = holds(n, l.Going)
			if l.Going.Took >= w.lookFor()/slowShare {
				l.Pause = min(networkShare*l.Going.Took, longestRest)
			}
			l.Going = nil
			return nil
		}
		known, err := w.expectedHoldings(ctx, n)
		if err != nil {
			return err
		}
		l.Going, b = nil, known[n.Name]
		if b == nil {
			return errMoved
		}
	}
}
