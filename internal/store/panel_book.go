package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// bookWaits is how long a new address of a book receives nothing, and how long the rule of the book still holds once it is taken off.
const bookWaits = "interval '1 day'"

// BookAddress is an address in the address book of a merchant.
type BookAddress struct {
	ID      uuid.UUID
	Network string
	Address string
	Memo    string // empty = none
	Name    string
	AddedBy string
	AddedAt time.Time
	UsedAt  time.Time // from when on it may be withdrawn to
	Usable  bool      // that moment has come
}

// BookRule says whether a merchant withdraws in the panel to the addresses of its book only.
type BookRule struct {
	BookOnly bool
	EndsAt   *time.Time // the rule was taken off, and holds until then
}

// AddBookAddress adds an address to a merchant's book; false when it is there.
func (s *Store) AddBookAddress(ctx context.Context, merchant uuid.UUID, a *BookAddress) (bool, error) {
	res, err := s.Q.NewRaw(`insert into panel_book (id, merchant_id, network, address, memo, name, added_by) values (?, ?, ?, ?, ?, ?, ?)
		on conflict (merchant_id, network, address, memo) where ended_at is null do nothing`,
		a.ID, merchant, a.Network, a.Address, a.Memo, a.Name, a.AddedBy).Exec(ctx)
	return changed(res, err, "add an address to a book")
}

// EndBookAddress takes an address out of a merchant's book; false when it is not there.
func (s *Store) EndBookAddress(ctx context.Context, merchant, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update panel_book set ended_at = now() where merchant_id = ? and id = ? and ended_at is null", merchant, id).Exec(ctx)
	return changed(res, err, "take an address out of a book")
}

// Book lists the addresses of a merchant's book by name.
func (s *Store) Book(ctx context.Context, merchant uuid.UUID) ([]BookAddress, error) {
	var out []BookAddress
	err := s.Q.NewRaw(`select id, network, address, memo, name, added_by, added_at, added_at + `+bookWaits+` as used_at, added_at + `+bookWaits+` <= now() as usable
		from panel_book where merchant_id = ? and ended_at is null order by name, network, id`, merchant).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read an address book: %w", err)
	}
	return out, nil
}

// BookRuleOf reads the rule of a merchant's book as it holds now.
func (s *Store) BookRuleOf(ctx context.Context, merchant uuid.UUID) (*BookRule, error) {
	r := new(BookRule)
	err := s.Q.NewRaw(`select book_only or loosened_at + `+bookWaits+` > now() as book_only, case when not book_only then loosened_at + `+bookWaits+` end as ends_at
		from panel_rules where merchant_id = ?`, merchant).Scan(ctx, r)
	if err = one(err, "rule of a book"); errors.Is(err, pay.ErrNotFound) {
		return r, nil
	}
	return r, err
}

// SetBookRule lets a merchant withdraw in the panel to the addresses of its book only, from now on. Taken off, the rule holds for a day
// more; taken off again, no longer than that.
func (s *Store) SetBookRule(ctx context.Context, merchant uuid.UUID, only bool) error {
	_, err := s.Q.NewRaw(`insert into panel_rules as r (merchant_id, book_only) values (?0, ?1) on conflict (merchant_id) do update
		set book_only = ?1, loosened_at = case when ?1 then null when r.book_only then now() else r.loosened_at end`, merchant, only).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set the rule of a book: %w", err)
	}
	return nil
}
