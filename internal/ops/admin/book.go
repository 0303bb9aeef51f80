package admin

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"causeway/internal/store"
)

const longestBookName = 100

// AddBookAddress adds an address to a merchant's address book. It may be withdrawn to a day later. The caller has checked that the
// network can pay to it.
func (a *Admin) AddBookAddress(ctx context.Context, merchant uuid.UUID, n store.BookAddress) error {
	n.ID, n.Name, n.AddedBy = uuid.Must(uuid.NewV7()), strings.TrimSpace(n.Name), a.Actor
	if length := utf8.RuneCountInString(n.Name); length == 0 || length > longestBookName {
		return misread("a name of an address has 1 to %d characters", longestBookName)
	}
	return a.changeBook(ctx, "person.book-add", merchant, map[string]any{"id": n.ID, "network": n.Network, "address": n.Address, "memo": n.Memo, "name": n.Name},
		func(tx *store.Store) error {
			done, err := tx.AddBookAddress(ctx, merchant, &n)
			if err == nil && !done {
				err = refuse("the address is in the book already")
			}
			return err
		})
}

// EndBookAddress takes an address out of a merchant's address book, from now on.
func (a *Admin) EndBookAddress(ctx context.Context, merchant, id uuid.UUID) error {
	return a.changeBook(ctx, "person.book-remove", merchant, map[string]any{"id": id}, func(tx *store.Store) error {
		done, err := tx.EndBookAddress(ctx, merchant, id)
		if err == nil && !done {
			err = refuse("there is no such address in the book")
		}
		return err
	})
}

// SetBookRule lets a merchant withdraw in the panel to the addresses of its book only; taken off, the rule holds for a day more.
func (a *Admin) SetBookRule(ctx context.Context, merchant uuid.UUID, only bool) error {
	return a.changeBook(ctx, "person.book-rule", merchant, map[string]any{"book_only": only}, func(tx *store.Store) error {
		return tx.SetBookRule(ctx, merchant, only)
	})
}

func (a *Admin) changeBook(ctx context.Context, action string, merchant uuid.UUID, said map[string]any, work func(tx *store.Store) error) error {
	return a.Change(ctx, action, "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		said["merchant_id"] = merchant
		return nil, said, work(tx)
	})
}
