package store

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"causeway/internal/vault"
)

// Sealed is one sealed value and its place.
type Sealed struct {
	Table, Row, Column string
	Value              []byte
}

// sealedPlaces are the columns with sealed values.
var sealedPlaces = []struct{ table, column string }{
	{"merchants", "webhook_secret"}, {"merchants", "webhook_secret_old"}, {"keys", "signing_secret"},
	{"operators", "totp"}, {"operators", "totp_offered"}, {"people", "totp"}, {"people", "totp_offered"},
	{"messages", "sealed"}, {"chats", "sealed"}, {"operator_chats", "sealed"},
}

// SealedHeads returns the beginnings of the sealed values, each once: a beginning tells the key of the seal. It reads
// every merchant and key: for a start, not a request. Tables not readable by the database role are left out.
func (s *Store) SealedHeads(ctx context.Context) ([][]byte, error) {
	var out [][]byte
	for _, place := range sealedPlaces {
		var heads [][]byte
		if readable, err := s.reads(ctx, place.table); err != nil || !readable {
			if err != nil {
				return nil, err
			}
			continue
		}
		err := s.Q.NewRaw("select distinct substring(? from 1 for ?) from ? where ? is not null",
			bun.Ident(place.column), vault.HeadSize, bun.Ident(place.table), bun.Ident(place.column)).Scan(ctx, &heads)
		if err != nil {
			return nil, fmt.Errorf("read how secrets are sealed: %w", err)
		}
		out = append(out, heads...)
	}
	return out, nil
}

// PayoutSealHeads returns how the seals of open payouts begin, as SealedHeads does.
func (s *Store) PayoutSealHeads(ctx context.Context) ([][]byte, error) {
	var heads [][]byte
	err := s.Q.NewRaw("select distinct substring(seal from 1 for ?) from payouts where wire_status = 'pending'", vault.HeadSize).Scan(ctx, &heads)
	if err != nil {
		return nil, fmt.Errorf("read how payouts are sealed: %w", err)
	}
	return heads, nil
}

// reads reports whether the database role may read a table.
func (s *Store) reads(ctx context.Context, table string) (readable bool, err error) {
	if err = s.Q.NewRaw("select has_table_privilege(?, 'select')", table).Scan(ctx, &readable); err != nil {
		return false, fmt.Errorf("read what the database role may read: %w", err)
	}
	return readable, nil
}

// SealedForUpdate reads every sealed value and keeps their rows from changing until the transaction ends.
func (s *Store) SealedForUpdate(ctx context.Context) ([]Sealed, error) {
	var out []Sealed
	for _, place := range sealedPlaces {
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
