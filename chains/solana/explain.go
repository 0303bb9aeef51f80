package solana

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"causeway/chains/solana/client"
)

// explain holds the balances of accounts to their transactions, and returns what each held at the end of the slots told, where that is known.
func (l *look) explain(ctx context.Context, asked map[watched]seen, read []*done) (map[key]uint64, error) {
	var lock sync.Mutex
	out := map[key]uint64{}
	byID := make(map[string]*done, len(read))
	for _, d := range read {
		byID[d.id] = d
	}
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for w, now := range asked {
		asking.Go(func() error {
			units, known, err := l.accountFor(ctx, w, now, byID)
			if err == nil && known {
				lock.Lock()
				defer lock.Unlock()
				out[w.at] = units
			}
			return err
		})
	}
	return out, asking.Wait()
}

// accountFor explains one account: what it held before the slots told, and what the listed transactions did, is what the next transaction has
// found, or what the account holds now.
func (l *look) accountFor(ctx context.Context, w watched, now seen, read map[string]*done) (units uint64, known bool, err error) {
	ends, err := l.ends(ctx, w, now)
	if err != nil {
		return 0, false, err
	}
	base := l.from - 1
	was, known := l.before(w.at)
	if known {
		base = was.slot
	}
	told := l.of(w, base, read)
	sum := uint64(0)
	for _, d := range told {
		sum += uint64(d.change(w))
	}
	if known && slices.Contains(ends, was.units+sum) {
		return was.units + sum, true, nil
	}
	if known || w.at == l.hot {
		began, anchored, err := l.began(ctx, w, base)
		if err != nil || anchored && slices.Contains(ends, began+sum) {
			return began + sum, err == nil, err
		}
		if known || anchored {
			return 0, false, odd("account %s holds %d at slot %d, and the node does not list all that brought it there", w.at, now.units, now.slot)
		}
	}
	return l.unknown(w, now, ends, told, sum)
}

// unknown explains an account that was never looked at: less what the listed transactions did, it is what one of the first has found. If none
// is listed, it held nothing else: a node tells a block once its lists are written.
func (l *look) unknown(w watched, now seen, ends []uint64, told []*done, sum uint64) (units uint64, known bool, err error) {
	begins := befores(w, told)
	if len(begins) == 0 {
		return ends[0], len(ends) == 1, nil
	}
	for _, units := range ends {
		if slices.Contains(begins, units-sum) {
			return units, true, nil
		}
	}
	return 0, false, odd("account %s holds %d at slot %d, and the node does not list all that brought it there", w.at, now.units, now.slot)
}

// of are the transactions of an account behind a slot, up to the last one told, the oldest first.
func (l *look) of(w watched, base int64, read map[string]*done) (out []*done) {
	for _, e := range slices.Backward(l.lists[w.at]) {
		if e.Slot > base && e.Slot <= l.to {
			out = append(out, read[e.Signature])
		}
	}
	return out
}

// ends are what an account may have held at the end of the slots told: what the transactions of the next slot have found, one of them at first.
// Without any it is what the account holds.
func (l *look) ends(ctx context.Context, w watched, now seen) ([]uint64, error) {
	later := l.lists[w.at]
	if i := slices.IndexFunc(later, func(e client.Entry) bool { return e.Slot <= l.to }); i >= 0 {
		later = later[:i]
	}
	for len(later) > 0 && later[len(later)-1].Slot <= now.slot {
		first := later[len(later)-1].Slot
		i := slices.IndexFunc(later, func(e client.Entry) bool { return e.Slot == first })
		next := map[string]client.Entry{}
		for _, e := range later[i:] {
			next[e.Signature] = e
		}
		read, err := l.transactions(ctx, next)
		if err != nil {
			return nil, err
		}
		if out := befores(w, read); len(out) > 0 {
			return out, nil
		}
		later = later[:i]
	}
	return []uint64{now.units}, nil
}

// befores are what the transactions of the first slot have found in an account.
func befores(w watched, all []*done) (out []uint64) {
	first := int64(-1)
	for _, d := range all {
		if before, _, told := d.balances(w); told && (first < 0 || d.slot == first) {
			first = d.slot
			if !slices.Contains(out, before) {
				out = append(out, before)
			}
		}
	}
	return out
}

// began is what an account held at the end of a slot, by its last transaction up to there. It is not known if the node has forgotten it. The
// last look may have been at a node that erred.
func (l *look) began(ctx context.Context, w watched, base int64) (units uint64, known bool, err error) {
	question := listQuestion{finalized: atLeast(l.to), Limit: 1}
	for _, e := range l.lists[w.at] {
		if e.Slot > base {
			question.Before = e.Signature
		}
	}
	for range mostBegan {
		var last []client.Entry
		if err := l.Ask(ctx, &last, "getSignaturesForAddress", w.at.String(), question); err != nil || len(last) == 0 {
			return 0, false, err
		}
		if len(last) > 1 || last[0].Slot > base {
			return 0, false, odd("the list of %s is in no order", w.at)
		}
		read, err := l.transactions(ctx, map[string]client.Entry{last[0].Signature: last[0]})
		if forgotten(err) {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		if _, after, told := read[0].balances(w); told {
			return after, true, nil
		}
		question.Before = last[0].Signature
	}
	return 0, false, nil
}

// forgotten reports whether a node has no transaction any more that it still lists.
func forgotten(err error) bool { return errors.Is(err, errUntold) || client.Answered(err) != nil }

// mostBegan is how many transactions are looked through for one that tells a balance.
const mostBegan = 100
