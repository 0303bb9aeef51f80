package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// LookOf returns how a merchant's payers' pages look. One who has set nothing has nothing.
func (s *Store) LookOf(ctx context.Context, merchant uuid.UUID) (out pay.Look, err error) {
	err = s.Q.NewRaw(`select coalesce(max(logo), ''), coalesce(max(colour), ''), coalesce(max(support), ''),
			coalesce((select string_agg(site, ' ' order by site) from merchant_sites where merchant_id = ?0), '')
		from merchant_looks where merchant_id = ?0`, merchant).Scan(ctx, &out.Logo, &out.Colour, &out.Support, &out.Sites)
	return out, one(err, "look of merchant "+merchant.String())
}

// SetLook changes how a merchant's payers' pages look, but for its sites.
func (s *Store) SetLook(ctx context.Context, merchant uuid.UUID, l pay.Look) error {
	_, err := s.Q.NewRaw(`insert into merchant_looks (merchant_id, logo, colour, support) values (?0, ?1, ?2, ?3)
		on conflict (merchant_id) do update set logo = ?1, colour = ?2, support = ?3`, merchant, l.Logo, l.Colour, l.Support).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set look: %w", err)
	}
	return nil
}

// AddLogo keeps a picture of a merchant under its hash.
func (s *Store) AddLogo(ctx context.Context, merchant uuid.UUID, hash string, content []byte) error {
	_, err := s.Q.NewRaw("insert into merchant_logos (merchant_id, hash, content) values (?, ?, ?) on conflict do nothing", merchant, hash, content).Exec(ctx)
	if err != nil {
		return fmt.Errorf("add logo: %w", err)
	}
	return nil
}

// Logos returns the hashes of a merchant's pictures, oldest first.
func (s *Store) Logos(ctx context.Context, merchant uuid.UUID) ([]string, error) {
	out := []string{}
	if err := s.Q.NewRaw("select hash from merchant_logos where merchant_id = ? order by added_at, hash", merchant).Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("read logos: %w", err)
	}
	return out, nil
}

// Logo reads a picture by its hash, whosever it is.
func (s *Store) Logo(ctx context.Context, hash string) ([]byte, error) {
	var content []byte
	err := s.Q.NewRaw("select content from merchant_logos where hash = ? limit 1", hash).Scan(ctx, &content)
	return content, one(err, "logo "+hash)
}

// DropLogo forgets a picture of a merchant; false when there is none.
func (s *Store) DropLogo(ctx context.Context, merchant uuid.UUID, hash string) (bool, error) {
	res, err := s.Q.NewRaw("delete from merchant_logos where merchant_id = ? and hash = ?", merchant, hash).Exec(ctx)
	return changed(res, err, "drop logo")
}
