package store

import (
	"context"
	"fmt"
)

// Confirm returns once everything committed before is on the replica that PostgreSQL waits for. A commit is seen by others without its
// replica as soon as its own wait is cut short, as by the end of its connection. So a row found again is confirmed before a client is
// told that it is there (docs/decisions/0083-found-again-is-confirmed.md). Where PostgreSQL waits for no replica, it only asks for that.
func (s *Store) Confirm(ctx context.Context) error {
	const commit = "select pg_logical_emit_message(true, 'causeway', '') where current_setting('synchronous_standby_names') <> ''"
	if _, err := s.DB.NewRaw(commit).Exec(ctx); err != nil {
		return fmt.Errorf("wait for the replica: %w", err)
	}
	return nil
}
