package solana

import (
	"context"
	"encoding/binary"

	"golang.org/x/sync/errgroup"

	"causeway/chains/solana/client"
)

// accountsAtOnce is how many accounts a node tells in one answer.
const accountsAtOnce = 100

// read is an account as of a final slot.
type read struct {
	account *client.Account // nil for none
	slot    int64
}

// accounts reads accounts, all as of a slot or later ones, in the order of the question.
func (v view) accounts(ctx context.Context, keys []key, slot int64) ([]read, error) {
	out := make([]read, len(keys))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	question := atLeast(slot)
	question.Encoding = "base64"
	for from := 0; from < len(keys); from += accountsAtOnce {
		part := keys[from:min(from+accountsAtOnce, len(keys))]
		asking.Go(func() error {
			names := make([]string, len(part))
			for i, k := range part {
				names[i] = k.String()
			}
			var answer client.Accounts
			if err := v.Ask(ctx, &answer, "getMultipleAccounts", names, question); err != nil {
				return err
			}
			if len(answer.Value) != len(part) || answer.Context.Slot < slot {
				return odd("%d accounts of slot %d, and %d of slot %d were asked for", len(answer.Value), answer.Context.Slot, len(part), slot)
			}
			for i, a := range answer.Value {
				out[from+i] = read{a, answer.Context.Slot}
			}
			return nil
		})
	}
	return out, asking.Wait()
}

// watched is an account whose balance is looked at: an owner's own, or the one in which it holds a token.
type watched struct {
	at      key
	owner   key
	mint    *key // nil for the coin
	program key
}

// watchedOf returns the accounts of owners for the coin, or a token.
func watchedOf(owners []key, t token) ([]watched, error) {
	out := make([]watched, len(owners))
	for i, owner := range owners {
		if out[i] = (watched{at: owner, owner: owner}); t.native {
			continue
		}
		at, err := associated(owner, t.mint, *t.program)
		if err != nil {
			return nil, err
		}
		out[i] = watched{at, owner, &t.mint, *t.program}
	}
	return out, nil
}

// The places in an account of a token.
const (
	placeOfOwner = 32
	placeOfUnits = 64
	placeOfState = 108
	frozen       = 2
)

// holds returns what an account holds. At the place of a token's account there may be lamports of a stranger and nothing else: that is no
// token.
func (w watched) holds(a *client.Account) (uint64, error) {
	switch {
	case a == nil:
		return 0, nil
	case w.mint == nil:
		return a.Lamports, nil
	case a.Owner == systemProgram.String():
		return 0, nil
	}
	data, err := dataOf(a)
	if err != nil {
		return 0, err
	}
	if a.Owner != w.program.String() || len(data) < sizeOfHolding || key(data) != *w.mint {
		return 0, odd("account %s is not of its token", w.at)
	}
	if key(data[placeOfOwner:]) != w.owner {
		return 0, nil // it was given away, with what it holds
	}
	return binary.LittleEndian.Uint64(data[placeOfUnits:]), nil
}

// isFrozen reports whether an account of a token is frozen.
func isFrozen(a *client.Account) bool {
	if a == nil {
		return false
	}
	data, err := dataOf(a)
	return err == nil && len(data) >= sizeOfHolding && data[placeOfState] == frozen
}
