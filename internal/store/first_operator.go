package store

import (
	"context"
	"fmt"
)

// firstLasts is how long the link for the first operator is good.
const firstLasts = "interval '24 hours'"

// OfferFirst keeps the hash of a link for the first operator. It returns false when there is an operator, or another
// link is still good: one start of one process prints a link, and no other does.
func (s *Store) OfferFirst(ctx context.Context, hash []byte) (bool, error) {
	res, err := s.Q.NewRaw(`insert into first_operator as f (hash) select ? where not exists (select from operators)
		on conflict (one) do update set hash = excluded.hash, made_at = now() where f.made_at < now() - `+firstLasts, hash).Exec(ctx)
	return changed(res, err, "offer a link for the first operator")
}

// FirstOffered reports whether a link for the first operator is good.
func (s *Store) FirstOffered(ctx context.Context, hash []byte) (bool, error) {
	var good bool
	err := s.Q.NewRaw(`select exists (select from first_operator where hash = ? and made_at > now() - `+firstLasts+`)
		and not exists (select from operators)`, hash).Scan(ctx, &good)
	if err != nil {
		return false, fmt.Errorf("look for a link for the first operator: %w", err)
	}
	return good, nil
}

// SpendFirst ends a link for the first operator; false when it was not good any more.
func (s *Store) SpendFirst(ctx context.Context, hash []byte) (bool, error) {
	res, err := s.Q.NewRaw("delete from first_operator where hash = ? and made_at > now() - "+firstLasts+" and not exists (select from operators)",
		hash).Exec(ctx)
	return changed(res, err, "spend a link for the first operator")
}
