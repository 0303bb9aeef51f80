package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// StoppedAsset is an asset stopped for payouts on a network: they are not signed. Reason says why.
type StoppedAsset struct {
	Asset   string    `bun:",pk" json:"asset"`
	Network string    `bun:",pk" json:"network,omitempty"` // empty: on every network
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
}

// Place names an asset with the network of its stop.
func (a StoppedAsset) Place() string {
	if a.Network == "" {
		return a.Asset
	}
	return a.Asset + " on " + a.Network
}

// StopAsset stops the payouts of an asset on a network, or on every network if it is empty. It returns false for fresh
// if they are stopped there already; the first reason stays. Nobody changes a stop of the asset until the transaction
// ends.
func (s *Store) StopAsset(ctx context.Context, asset, network, reason string) (fresh bool, err error) {
	if err := s.HoldStop(ctx, asset); err != nil {
		return false, err
	}
	err = s.Q.NewRaw(`insert into stopped_assets (asset, network, reason) values (?, ?, ?)
		on conflict (asset, network) do update set at = stopped_assets.at returning xmax = 0`, asset, network, reason).Scan(ctx, &fresh)
	if err != nil {
		return false, fmt.Errorf("stop %s: %w", asset, err)
	}
	return fresh, nil
}

// HoldStop waits for a transaction changing a stop of an asset, on any network. No other one does until this
// transaction ends.
func (s *Store) HoldStop(ctx context.Context, asset string) error {
	if _, err := s.Q.NewRaw("select pg_advisory_xact_lock(hashtextextended('stop of ' || ?, 0))", asset).Exec(ctx); err != nil {
		return fmt.Errorf("hold the stops of %s: %w", asset, err)
	}
	return nil
}

// ResumeAsset ends the stop of an asset on a network, or all its stops if the network is empty. It returns false if there was none.
func (s *Store) ResumeAsset(ctx context.Context, asset, network string) (bool, error) {
	res, err := s.Q.NewRaw("delete from stopped_assets where asset = ?0 and ?1 in ('', network)", asset, network).Exec(ctx)
	return changed(res, err, "resume "+asset)
}

// StoppedAssets lists the assets stopped for payouts, by asset and network.
func (s *Store) StoppedAssets(ctx context.Context) ([]StoppedAsset, error) {
	out := []StoppedAsset{}
	if err := s.Q.NewSelect().Model(&out).Order("asset", "network").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read stopped assets: %w", err)
	}
	return out, nil
}

// StoppedWallet is a hot wallet not used for signing: its chain has used more nonces than our books know, or a payout
// of its network differs from its seal.
type StoppedWallet struct {
	Network string    `bun:",pk" json:"network"`
	Address string    `bun:",pk" json:"address"`
	Ours    int64     `json:"our_next_nonce"`
	Chain   int64     `json:"chain_next_nonce"` // when it was last looked at
	At      time.Time `json:"at"`

	BrokenSeal  *uuid.UUID `json:"broken_seal,omitempty"`  // the payout that differs from its seal
	ForgottenAt *time.Time `json:"forgotten_at,omitempty"` // since when nobody is told of the stop: a former seed's
}

// StopWallet stops a hot wallet, or notes the newest nonces and seal of a stopped one. It is fresh when it was not stopped before.
func (s *Store) StopWallet(ctx context.Context, w StoppedWallet) (fresh bool, err error) {
	err = s.Q.NewRaw(`insert into stopped_wallets (network, address, ours, chain, broken_seal) values (?0, ?1, ?2, ?3, ?4)
		on conflict (network, address) do update set ours = excluded.ours, chain = greatest(stopped_wallets.chain, excluded.chain),
			broken_seal = coalesce(stopped_wallets.broken_seal, excluded.broken_seal), forgotten_at = null
		returning xmax = 0`,
		w.Network, w.Address, w.Ours, w.Chain, w.BrokenSeal).Scan(ctx, &fresh)
	if err != nil {
		return false, fmt.Errorf("stop the hot wallet of %s: %w", w.Network, err)
	}
	return fresh, nil
}

// NoteSkip notes that addresses are left out for the stop of a wallet. It returns false if they were already, in this run of the
// database's server: nobody has restored the books since, however far the chain has risen.
func (s *Store) NoteSkip(ctx context.Context, network, address string) (bool, error) {
	res, err := s.Q.NewRaw(`update stopped_wallets set skipped_in = books_run()
		where network = ? and address = ? and skipped_in is distinct from books_run()`, network, address).Exec(ctx)
	return changed(res, err, "note that addresses are left out")
}

// StoppedWallets lists the stopped hot wallets, except forgotten ones.
func (s *Store) StoppedWallets(ctx context.Context) ([]StoppedWallet, error) {
	all, err := s.AllStops(ctx)
	return slices.DeleteFunc(all, func(w StoppedWallet) bool { return w.ForgottenAt != nil }), err
}

// AllStops lists the stopped wallets, forgotten ones included.
func (s *Store) AllStops(ctx context.Context) ([]StoppedWallet, error) {
	out := []StoppedWallet{}
	if err := s.Q.NewSelect().Model(&out).Order("network", "address").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read stopped wallets: %w", err)
	}
	return out, nil
}

// WalletOfStop reads one stopped wallet and keeps it from changing until the transaction ends, or returns pay.ErrNotFound.
func (s *Store) WalletOfStop(ctx context.Context, network, address string) (*StoppedWallet, error) {
	out := new(StoppedWallet)
	err := s.Q.NewSelect().Model(out).Where("network = ? and address = ?", network, address).For("update").Scan(ctx)
	return out, one(err, "stopped wallet of "+network)
}

// ForgetStop notes that nobody is told of the stop of a wallet any more; nothing is signed with it all the same. False
// when it was forgotten already.
func (s *Store) ForgetStop(ctx context.Context, network, address string) (bool, error) {
	res, err := s.Q.NewRaw("update stopped_wallets set forgotten_at = now() where network = ? and address = ? and forgotten_at is null", network,
		address).Exec(ctx)
	return changed(res, err, "forget a stopped wallet")
}

// RecallStop notes that a wallet with a forgotten stop is a hot wallet again.
func (s *Store) RecallStop(ctx context.Context, network, address string) error {
	if _, err := s.Q.NewRaw("update stopped_wallets set forgotten_at = null where network = ? and address = ? and forgotten_at is not null",
		network, address).Exec(ctx); err != nil {
		return fmt.Errorf("recall a stopped wallet: %w", err)
	}
	return nil
}

// ResumeWallet moves the nonces of a stopped wallet to the next unused on its chain, and ends the stop.
func (s *Store) ResumeWallet(ctx context.Context, w *StoppedWallet, next int64) error {
	_, err := s.Q.NewRaw(`with gone as (delete from stopped_wallets where network = ?0 and address = ?1)
		insert into signing_nonces as n (network, address, next) values (?0, ?1, ?2)
		on conflict (network, address) do update set next = greatest(n.next, excluded.next)`, w.Network, w.Address, next).Exec(ctx)
	if err != nil {
		return fmt.Errorf("resume the hot wallet of %s: %w", w.Network, err)
	}
	return nil
}
