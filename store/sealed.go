package store

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Sealed is one sealed value and its place.
type Sealed struct {
	Table, Row, Column string
	Value              []byte
}

// SealedForUpdate reads every sealed value and keeps their rows from changing until the transaction ends.
func (s *Store) SealedForUpdate(ctx context.Context) ([]Sealed, error) {
	var out []Sealed
	for _, place := range []struct{ table, column string }{
		{"merchants", "webhook_secret"}, {"merchants", "webhook_secret_old"}, {"keys", "signing_secret"},
		{"operators", "totp"}, {"operators", "totp_offered"},
	} {
		var rows []Sealed
		err := s.Q.NewRaw(`select ? as "table", id::text as row, ? as "column", ? as value from ? where ? is not null order by id for no key update`,
			place.table, place.column, bun.Ident(place.column), bun.Ident(place.table), bun.Ident(place.column)).Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("read sealed values: %w", err)
		}
		out = append(out, rows...)
	}
	return out, nil
}

// SaveSealed writes a sealed value to its place.
func (s *Store) SaveSealed(ctx context.Context, v Sealed) error {
	_, err := s.Q.NewRaw("update ? set ? = ? where id::text = ?", bun.Ident(v.Table), bun.Ident(v.Column), v.Value, v.Row).Exec(ctx)
	if err != nil {
		return fmt.Errorf("write sealed value: %w", err)
	}
	return nil
}
