package store

import (
	"context"
	"fmt"
)

// RevokeWallets announces the revocation of fixed wallets without a transfer for their merchant's inactivity period, and
// revokes those whose announced time has come, which without a notice period is at once (addendum §9). A transfer in between
// has cleared the announcement.
func (s *Store) RevokeWallets(ctx context.Context) error {
	for _, statement := range []string{
		`update wallets w set revoke_at = now() + m.revoke_notice_days * interval '1 day', updated_at = now()
			from merchants m where m.id = w.merchant_id and w.status = 'STATUS_ASSIGNED' and w.revoke_at is null
			and coalesce(w.last_transaction_at, w.created_at) <= now() - m.inactivity_days * interval '1 day'`,
		`update wallets set status = 'STATUS_REVOKED', updated_at = now()
			where status = 'STATUS_ASSIGNED' and revoke_at <= now()`,
	} {
		if _, err := s.Q.NewRaw(statement).Exec(ctx); err != nil {
			return fmt.Errorf("revoke wallets: %w", err)
		}
	}
	return nil
}
