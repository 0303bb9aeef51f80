package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"
)

// Post writes entries and moves the merchants' balances, in one call to the database. An entry whose reference is there
// already is left as it is; the same reference with other postings is an error. It answers how many were new.
func Post(ctx context.Context, tx bun.IDB, entries ...Entry) (int, error) {
	if len(entries) == 0 {
		return 0, nil
	}
	for _, e := range entries {
		if err := e.check(); err != nil {
			return 0, err
		}
	}
	body, err := json.Marshal(entries)
	if err != nil {
		return 0, fmt.Errorf("encode entries: %w", err)
	}
	var fresh int
	if err := tx.NewRaw("select post(?::jsonb)", string(body)).Scan(ctx, &fresh); err != nil {
		return 0, fmt.Errorf("post %s: %w", entries[0].Reference, err)
	}
	return fresh, nil
}
