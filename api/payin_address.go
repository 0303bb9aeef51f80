package api

import (
	"context"
	"errors"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Deriver makes deposit addresses from public data.
type Deriver interface {
	// Supports reports whether the network is configured here, and later transfers there will be seen: a live one is followed
	// from the head met by its first step. An error means the answer is not known.
	Supports(ctx context.Context, network string) (bool, error)
	// Derive returns our address of an index, one for all networks of the family, and the spelling used to find transfers
	// to it.
	Derive(ctx context.Context, network string, index uint32) (address, match string, err error)
}

// sharedIndex is the address shared by payins with a memo, one in each family (addendum §8).
const sharedIndex = 0

// addressPatience is how long an address may take.
const addressPatience = 10 * time.Second

var (
	errNoProcessor = pay.E(pay.Unavailable, "no_processor_configured", "The network is not configured here, or not followed yet.")
	errProcessor   = pay.E(pay.Upstream, "external_processor_error", "A deposit address could not be created now. Nothing was created.")
	errNoAddress   = pay.E(pay.Unavailable, "no_wallet_available", "No deposit address is available now.")
)

// payinAddress gets the payin an address: one of its own, or the shared one where a memo tells payins apart.
func payinAddress(ctx context.Context, s *store.Store, from Deriver, p *pay.Payin) (*pay.Address, error) {
	n, ok := pay.NetworkNamed(p.Network)
	if !ok {
		return nil, errNoProcessor
	}
	supported, err := from.Supports(ctx, p.Network)
	if err != nil {
		return nil, err
	}
	if !supported {
		return nil, errNoProcessor
	}
	a := &pay.Address{Family: n.Family, Position: sharedIndex, PayinID: &p.ID}
	if p.Memo != nil {
		a.Memo = *p.Memo
	} else if a.Position, err = ownIndex(ctx, s); errors.Is(err, store.ErrNoIndexLeft) {
		return nil, errNoAddress.Because(err)
	} else if err != nil {
		return nil, err
	}
	if err := derive(ctx, from, n.Name, a); err != nil {
		return nil, err
	}
	p.Wallet = a.Address
	return a, nil
}

// ownIndex hands out an index nobody else has or shares.
func ownIndex(ctx context.Context, s *store.Store) (int64, error) {
	index, err := s.NextAddressIndex(ctx)
	if err == nil && index == sharedIndex {
		index, err = s.NextAddressIndex(ctx)
	}
	return index, err
}

// derive fills in the address of a's position.
func derive(ctx context.Context, from Deriver, network string, a *pay.Address) (err error) {
	ctx, cancel := context.WithTimeout(ctx, addressPatience)
	defer cancel()
	a.Address, a.Match, err = from.Derive(ctx, network, uint32(a.Position)) //nolint:gosec // the sequence ends before
	if err != nil {
		return errProcessor.Because(err)
	}
	return nil
}
