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
	// Supports reports whether the network is configured here, and what is paid there from now on will be seen: a live one is
	// followed from the head that its first step meets. An error says that it is not known.
	Supports(ctx context.Context, network string) (bool, error)
	// Derive returns our address of an index, one for all networks of the family, and the spelling under which
	// transfers to it are found.
	Derive(ctx context.Context, network string, index uint32) (address, match string, err error)
}

// sharedIndex is the address that payins with a memo share, one in each family (addendum §8).
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

// ownIndex hands out an index that nobody else has or shares.
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
