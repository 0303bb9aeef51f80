package solana

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"causeway/chains/solana/client"
)

// The lists of accounts.
const (
	entriesAtOnce = 1_000
	mostTold      = 2_000 // transactions told in one step, unless a single block of ours has more
)

// list reads the lists of accounts, down to the slots to be told and to those told last.
func (l *look) list(ctx context.Context, all map[watched]seen) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for w, now := range all {
		low := l.from
		if was, known := l.before(w.at); known {
			low = min(low, was.slot+1)
		}
		asking.Go(func() error {
			entries, err := l.entries(ctx, w.at, low, now.slot)
			if err != nil {
				return err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.lists[w.at] = entries
			return nil
		})
	}
	return asking.Wait()
}

// newest is the slot of the newest transaction in the list of an account, at an earlier look.
func (l *look) newest(at key) int64 {
	l.watch.Lock()
	defer l.watch.Unlock()
	return l.watch.seen[at].newest
}

// cut leaves blocks of ours to the next step, where the lists have more than one step tells. Anybody may send to our addresses without end,
// and one that was down for long has much to read.
func (l *look) cut() {
	count := map[int64]int{}
	for _, entries := range l.lists {
		for _, e := range entries {
			count[max(e.Slot, l.from)/slotsOfGroup]++
		}
	}
	sum := 0
	for height := l.from / slotsOfGroup; height <= l.to/slotsOfGroup; height++ {
		if sum += count[height]; sum > mostTold && height > l.from/slotsOfGroup {
			l.to = end(height - 1)
			return
		}
	}
}

// listQuestion asks for a part of a list.
type listQuestion struct {
	finalized

	Limit  int    `json:"limit"`
	Before string `json:"before,omitempty"`
}

// entries returns the list of an account's transactions from a slot on, the newest first.
func (v view) entries(ctx context.Context, at key, low, minimum int64) ([]client.Entry, error) {
	var out []client.Entry
	question := listQuestion{finalized: atLeast(minimum), Limit: entriesAtOnce}
	for {
		var part []client.Entry
		if err := v.Ask(ctx, &part, "getSignaturesForAddress", at.String(), question); err != nil {
			return nil, err
		}
		for _, e := range part {
			if _, ok := readSignature(e.Signature); !ok || len(out) > 0 && e.Slot > out[len(out)-1].Slot {
				return nil, odd("the list of %s is in no order", at)
			}
			if e.Slot < low {
				return out, nil
			}
			out = append(out, e)
		}
		if len(part) < entriesAtOnce {
			return out, nil
		}
		question.Before = out[len(out)-1].Signature
	}
}

// read reads those listed transactions that are wanted, in the order of slots.
func (l *look) read(ctx context.Context, wanted func(client.Entry) bool) ([]*done, error) {
	listed := map[string]client.Entry{}
	for _, entries := range l.lists {
		for _, e := range entries {
			if wanted(e) {
				listed[e.Signature] = e
			}
		}
	}
	return l.transactions(ctx, listed)
}

// transactions reads transactions of lists, in the order of slots.
func (v view) transactions(ctx context.Context, listed map[string]client.Entry) ([]*done, error) {
	ids := slices.Sorted(maps.Keys(listed))
	out := make([]*done, len(ids))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for i, id := range ids {
		asking.Go(func() error {
			d, err := v.transaction(ctx, id, listed[id].Slot)
			if err == nil && d.failed != client.Failed(listed[id].Err) {
				err = odd("transaction %s has failed, and has not", id)
			}
			out[i] = d
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b *done) int { return int(a.slot - b.slot) })
	return out, nil
}
