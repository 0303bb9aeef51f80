package sandbox

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Forget deletes every simulated network with its whole history. Processes with an open network cannot use it any more: their
// reads fail with ErrDown, and their transactions are not taken.
func Forget(ctx context.Context, db bun.IDB) error {
	for _, query := range []string{
		"select from sandbox_networks order by network for update",
		"delete from sandbox_transactions", "delete from sandbox_spent", "delete from sandbox_holdings", "delete from sandbox_forks", "delete from sandbox_networks",
	} {
		if _, err := db.NewRaw(query).Exec(ctx); err != nil {
			return fmt.Errorf("forget the sandbox networks: %w", err)
		}
	}
	return nil
}
