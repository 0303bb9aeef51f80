package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// SpendDecision is an operator's decision about an unknown spend.
type SpendDecision string

// The decisions.
const (
	SpendPaid    SpendDecision = "paid"    // a payout of ours was paid by it
	SpendLost    SpendDecision = "lost"    // no known payout; a later one to the same recipient waits for a person
	SpendIgnored SpendDecision = "ignored" // it is nobody's payout
)

// UnknownSpend is a transfer out of a hot wallet, or a cold address, by a transaction unknown to our books.
type UnknownSpend struct {
	Network   string          `bun:",pk" json:"network"`
	Txid      string          `bun:",pk" json:"txid"`
	Token     string          `bun:",pk" json:"token"`
	Position  int             `bun:",pk" json:"position"`
	Sender    string          `json:"sender,omitempty"` // a cold address; "" for the hot wallet
	Recipient string          `json:"recipient"`
	Memo      string          `json:"memo,omitempty"`
	Amount    decimal.Decimal `json:"amount"`
	Height    int64           `json:"height"`
	SeenAt    time.Time       `json:"seen_at"`
	Decision  *SpendDecision  `json:"decision"` // null until somebody has decided
	PayoutID  *uuid.UUID      `json:"payout"`   // paid by it
	UndoneAt  *time.Time      `json:"undone"`   // since when it is in no block any more
}

// Open reports whether it is still to be decided: a spend in no block has moved nothing.
func (u *UnknownSpend) Open() bool { return u.Decision == nil && u.UndoneAt == nil }

// AddUnknownSpends keeps seen spends. A spend kept before is in a block again. If it is decided, the decision stays
// with the recipient, memo and amount decided on. Else these are replaced: a transaction mined again may have moved
// something else.
func (s *Store) AddUnknownSpends(ctx context.Context, spends []UnknownSpend) error {
	if len(spends) == 0 {
		return nil
	}
	if err := s.noteReturning(ctx, spends); err != nil {
		return err
	}
	if _, err := s.Q.NewInsert().Model(&spends).ExcludeColumn("seen_at", "decision", "payout_id", "undone_at").
		On("conflict (network, txid, token, position) do update").Set("height = excluded.height, undone_at = null").
		Set("recipient = case when ?TableAlias.decision is null then excluded.recipient else ?TableAlias.recipient end").
		Set("memo = case when ?TableAlias.decision is null then excluded.memo else ?TableAlias.memo end").
		Set("amount = case when ?TableAlias.decision is null then excluded.amount else ?TableAlias.amount end").
		Returning("NULL").
		Exec(ctx); err != nil {
		return fmt.Errorf("keep unknown spends: %w", err)
	}
	return nil
}

// noteReturning notes that booked spends are in a block again: a look taken while they were undone has found their
// amounts.
func (s *Store) noteReturning(ctx context.Context, spends []UnknownSpend) error {
	txids := make([]string, len(spends))
	for i := range spends {
		txids[i] = spends[i].Txid
	}
	return s.noteDecisionIf(ctx, spends[0].Network, "txid = any (?) and decision is not null", pg.Array(txids))
}

// UndoSpends notes the spends in blocks above a height as undone by the chain. They are kept, for a person: a decided
// one is booked, and an undecided one may be mined again. Nobody corrects by a look taken while their amounts were gone
// from the network: when one of them is mined again, its decision books it.
func (s *Store) UndoSpends(ctx context.Context, network string, above int64) error {
	if err := s.noteDecisionIf(ctx, network, "height > ? and undone_at is null", above); err != nil {
		return err
	}
	if _, err := s.Q.NewRaw("update unknown_spends set undone_at = now() where network = ? and height > ? and undone_at is null", network,
		above).Exec(ctx); err != nil {
		return fmt.Errorf("undo unknown spends: %w", err)
	}
	return nil
}

// noteDecisionIf is NoteDecision where the network has a spend of some kind.
func (s *Store) noteDecisionIf(ctx context.Context, network, kind string, arg any) error {
	some, err := s.Q.NewSelect().Model((*UnknownSpend)(nil)).Where("network = ?", network).Where(kind, arg).Exists(ctx)
	if err != nil {
		return fmt.Errorf("look for unknown spends: %w", err)
	}
	if !some {
		return nil
	}
	return s.NoteDecision(ctx, network)
}

// OpenSpends lists spends of hot wallets of a network still to be decided, in the order of the chain.
func (s *Store) OpenSpends(ctx context.Context, network string) ([]UnknownSpend, error) {
	return s.spends(ctx, "network = ? and sender = '' and decision is null and undone_at is null", network)
}

// LostSpends lists the spends of all networks decided as lost: no known payout of ours. Spends of cold addresses that nobody has booked
// are among them.
func (s *Store) LostSpends(ctx context.Context) ([]UnknownSpend, error) {
	return s.spends(ctx, "decision = ? or sender <> '' and decision is null and undone_at is null", SpendLost)
}

// DoubtfulSpends lists the spends of hot wallets of all networks decided as lost, or undecided, also while they are in no block. One of a
// cold address pays no payout.
func (s *Store) DoubtfulSpends(ctx context.Context) ([]UnknownSpend, error) {
	return s.spends(ctx, "sender = '' and (decision is null or decision = ?)", SpendLost)
}

// DismissSpends takes the spends of one transaction off the undone ones, since a person has dealt with it; false when
// none is undone. Undecided ones are forgotten: nothing is booked of them. Lost ones have paid nobody, and become
// ignored.
func (s *Store) DismissSpends(ctx context.Context, network, txid string) (bool, error) {
	var dismissed int
	err := s.Q.NewRaw(`with forgotten as (
			delete from unknown_spends where network = ?0 and txid = ?1 and undone_at is not null and decision is null returning 1),
		kept as (
			update unknown_spends set undone_at = null, decision = case decision when 'lost' then 'ignored' else decision end
			where network = ?0 and txid = ?1 and undone_at is not null and decision is not null returning 1)
		select (select count(*) from forgotten) + (select count(*) from kept)`, network, txid).Scan(ctx, &dismissed)
	if err != nil {
		return false, fmt.Errorf("dismiss an undone spend: %w", err)
	}
	return dismissed > 0, nil
}

// UndoneSpend is a spend in the list of UndoneSpends.
type UndoneSpend struct {
	UnknownSpend `bun:",extend"`
	All          int64 `bun:",scanonly"` // how many there are; one look returns the newest of them
}

const mostUndone = 20 // in one look, newest first

// UndoneSpends lists spends in no block any more since a reorganisation undid them, newest first. A spend is left out
// if its payout is paid otherwise since.
func (s *Store) UndoneSpends(ctx context.Context) ([]UndoneSpend, error) {
	out := []UndoneSpend{}
	err := s.Q.NewSelect().Model(&out).ColumnExpr("?TableColumns, count(*) over () as \"all\"").
		Where("undone_at is not null and not exists (select from payouts p where p.id = payout_id and p.txid is distinct from ?TableAlias.txid)").
		Order("undone_at desc", "txid", "position").Limit(mostUndone).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read undone spends: %w", err)
	}
	return out, nil
}

// SpendsOf lists the spends of one transaction.
func (s *Store) SpendsOf(ctx context.Context, network, txid string) ([]UnknownSpend, error) {
	return s.spends(ctx, "network = ? and txid = ?", network, txid)
}

func (s *Store) spends(ctx context.Context, where string, args ...any) ([]UnknownSpend, error) {
	out := []UnknownSpend{}
	if err := s.Q.NewSelect().Model(&out).Where(where, args...).Order("network", "height", "txid", "position").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read unknown spends: %w", err)
	}
	return out, nil
}

// DecideSpend writes the decision on a spend if it stands at from (nil: undecided). It returns false when it does not,
// when an undecided spend is in no block any more, or when a spend in no block is to have paid a payout.
func (s *Store) DecideSpend(ctx context.Context, u *UnknownSpend, from *SpendDecision) (bool, error) {
	res, err := s.Q.NewRaw(`update unknown_spends set decision = ?, payout_id = ?
		where network = ? and txid = ? and token = ? and position = ? and decision is not distinct from ?
			and (undone_at is null or decision is not null and ?::uuid is null)`,
		u.Decision, u.PayoutID, u.Network, u.Txid, u.Token, u.Position, from, u.PayoutID).Exec(ctx)
	return changed(res, err, "decide on a spend")
}
