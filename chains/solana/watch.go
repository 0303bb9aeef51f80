package solana

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"causeway/chains/solana/client"
)

// watch is what is known of the accounts that are looked at.
type watch struct {
	sync.Mutex
	addresses func(ctx context.Context) ([]string, error) // of deposits; nil for none
	seen      map[key]seen
}

// seen is the last look at an account.
type seen struct {
	slot   int64 // of the balance
	units  uint64
	newest int64 // the slot of its newest transaction, as far as its list was read; it may be above the blocks told
}

// AskFor names the deposit addresses that payments are awaited at, in the spelling of Match.
func (c *Connector) AskFor(addresses func(ctx context.Context) ([]string, error)) {
	c.watch.Lock()
	defer c.watch.Unlock()
	c.watch.addresses = addresses
}

// owners returns the owners whose accounts are looked at: the hot wallet first, the cold address, and the deposit addresses.
func (c *Connector) owners(ctx context.Context) ([]key, error) {
	c.watch.Lock()
	addresses := c.watch.addresses
	c.watch.Unlock()
	out := []key{c.hot}
	known := map[key]bool{c.hot: true}
	var names []string
	if addresses != nil {
		var err error
		if names, err = addresses(ctx); err != nil {
			return nil, fmt.Errorf("addresses to ask for: %w", err)
		}
	}
	for _, name := range append(names, c.cfg.Cold) {
		if k, ok := readKey(name); ok && !known[k] {
			known[k] = true
			out = append(out, k)
		}
	}
	return out, nil
}

// look is one reading of accounts and of the transactions that have changed them.
type look struct {
	view
	from, to int64 // the slots to be told
	tables   *tables
	mu       sync.Mutex
	listed   map[string]client.Entry
	lists    map[key][]client.Entry // by account, the newest first
}

// changes returns the transactions of our accounts in some slots. Every change of a balance is explained by them, or none is returned: a list
// of the node may lack the newest ones.
func (v view) changes(ctx context.Context, owners []key, from, to int64) ([]*done, *tables, error) {
	tables, err := v.tokens(ctx)
	if err != nil {
		return nil, nil, err
	}
	l := &look{view: v, from: from, to: to, tables: tables, listed: map[string]client.Entry{}, lists: map[key][]client.Entry{}}
	all, now, err := l.balances(ctx, owners)
	if err != nil {
		return nil, nil, err
	}
	hot := slices.IndexFunc(all, func(w watched) bool { return w.at == v.hot })
	if err := l.list(ctx, all[hot:hot+1], now[hot:hot+1]); err != nil { // always: the proof that a transaction is dead rests on it
		return nil, nil, err
	}
	mine, err := l.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	var asked []watched
	var balances []seen
	for i, w := range all {
		if i != hot && l.wanted(w, now[i], mine) {
			asked, balances = append(asked, w), append(balances, now[i])
		}
	}
	if err := l.list(ctx, asked, balances); err != nil {
		return nil, nil, err
	}
	read, err := l.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := l.explain(append(asked, all[hot]), append(balances, now[hot]), read); err != nil {
		return nil, nil, err
	}
	l.remember(all, now)
	return read, tables, nil
}

// balances reads all accounts of the owners.
func (l *look) balances(ctx context.Context, owners []key) ([]watched, []seen, error) {
	var all []watched
	for _, t := range append([]token{coin}, l.tables.usable()...) {
		of, err := watchedOf(owners, t)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, of...)
	}
	keys := make([]key, len(all))
	for i, w := range all {
		keys[i] = w.at
	}
	answers, err := l.accounts(ctx, keys, l.to)
	if err != nil {
		return nil, nil, err
	}
	now := make([]seen, len(all))
	for i, a := range answers {
		units, err := all[i].holds(a.account)
		if err != nil {
			return nil, nil, err
		}
		now[i] = seen{slot: a.slot, units: units}
	}
	return all, now, nil
}

// wanted reports whether transactions of an account may be missing: its balance has changed, it holds something and was never looked at, it
// had a transaction in these slots at the last look, or a transaction of the hot wallet names it.
func (l *look) wanted(w watched, now seen, mine []*done) bool {
	was, known := l.before(w.at)
	if !known && now.units > 0 || known && (was.units != now.units || was.newest >= l.from) {
		return true
	}
	return slices.ContainsFunc(mine, func(d *done) bool { return d.slot >= l.from && d.names(w.at) })
}

// before is the last look at an account.
func (l *look) before(at key) (seen, bool) {
	l.watch.Lock()
	defer l.watch.Unlock()
	was, known := l.watch.seen[at]
	return was, known
}

// list reads the lists of accounts, down to the slots told and to the last look.
func (l *look) list(ctx context.Context, all []watched, now []seen) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for i, w := range all {
		low := l.from
		if was, known := l.before(w.at); known {
			low = min(low, was.slot+1)
		}
		asking.Go(func() error {
			entries, err := l.entries(ctx, w.at, low, now[i].slot)
			if err != nil {
				return err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.lists[w.at] = entries
			for _, e := range entries {
				l.listed[e.Signature] = e
			}
			return nil
		})
	}
	return asking.Wait()
}

// The lists of an account.
const (
	entriesAtOnce = 1_000
	mostEntries   = 5_000 // of all accounts in one look
)

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
		if len(out) > mostEntries {
			return nil, errTooMany
		}
		question.Before = out[len(out)-1].Signature
	}
}

// read reads what is listed, in the order of slots.
func (l *look) read(ctx context.Context) ([]*done, error) {
	if len(l.listed) > mostEntries {
		return nil, errTooMany
	}
	ids := make([]string, 0, len(l.listed))
	for id := range l.listed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	out := make([]*done, len(ids))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for i, id := range ids {
		asking.Go(func() error {
			d, err := l.transaction(ctx, id, l.listed[id].Slot)
			if err == nil && d.failed != client.Failed(l.listed[id].Err) {
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

// explain holds each balance to the last one and the transactions since.
func (l *look) explain(all []watched, now []seen, read []*done) error {
	for i, w := range all {
		was, known := l.before(w.at)
		if !known {
			if err := l.newest(w, now[i], read); err != nil {
				return err
			}
			continue
		}
		sum := was.units
		for _, d := range read {
			if d.slot > was.slot && d.slot <= now[i].slot {
				sum += uint64(d.change(w))
			}
		}
		if now[i].slot >= was.slot && sum != now[i].units {
			return odd("account %s holds %d at slot %d and %d at slot %d, and the node lists transactions up to %d", w.at, was.units, was.slot, now[i].units,
				now[i].slot, sum)
		}
	}
	return nil
}

// newest holds the balance of an account never looked at to its list. Less what all of the list did, it is what one of the oldest has found:
// else the newest, or one in between, is missing.
func (l *look) newest(w watched, now seen, read []*done) error {
	left, oldest := now.units, int64(-1)
	var found []uint64
	for _, d := range read { // the oldest come first
		before, _, told := d.balances(w)
		if !told || d.slot > now.slot || !slices.ContainsFunc(l.lists[w.at], func(e client.Entry) bool { return e.Signature == d.id }) {
			continue
		}
		if oldest < 0 {
			oldest = d.slot
		}
		if left -= uint64(d.change(w)); d.slot == oldest {
			found = append(found, before)
		}
	}
	if oldest >= 0 && !slices.Contains(found, left) {
		return odd("account %s holds %d at slot %d, and the node does not list all that brought it there", w.at, now.units, now.slot)
	}
	return nil
}

// remember keeps the balances for the next look.
func (l *look) remember(all []watched, now []seen) {
	l.watch.Lock()
	defer l.watch.Unlock()
	fresh := make(map[key]seen, len(all))
	for i, w := range all {
		now[i].newest = l.watch.seen[w.at].newest
		if entries := l.lists[w.at]; len(entries) > 0 {
			now[i].newest = entries[0].Slot
		}
		fresh[w.at] = now[i]
	}
	l.watch.seen = fresh
}
