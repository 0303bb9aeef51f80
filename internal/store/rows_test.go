package store_test

import (
	"testing"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// An unreadable row, as when its caller gives up in the middle of it, is an error: no part of it is used.
func TestARowThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s, id := store.New(db), uuid.New()
	for _, c := range []struct {
		function, nulls string
		read            func() error
	}{
		{"transfers_of(payins uuid[], without int, most int) returns setof transfers", "(null::transfers).*", func() error {
			_, err := s.TransfersOf(t.Context(), id)
			return err
		}},
		{"told_of(subjects uuid[], events text[]) returns table (about uuid, told text)", "null::uuid, null::text", func() error {
			_, err := s.Told(t.Context(), []uuid.UUID{id}, pay.PaymentDetected)
			return err
		}},
		{"payouts_over_limits(ids uuid[], places text[], counted boolean) returns table (id uuid, why text, windowed boolean)", "null::uuid, null::text, false", func() error {
			over, err := s.OverLimits(t.Context(), []uuid.UUID{id}, []string{""})
			if len(over) > 0 {
				t.Errorf("above its limits is what could not be read: %v", over)
			}
			return err
		}},
	} {
		if err := c.read(); err != nil {
			t.Fatalf("%s: %v", c.function, err)
		}
		if _, err := db.ExecContext(t.Context(), "create or replace function "+c.function+" language sql as $$ select "+c.nulls+" $$"); err != nil {
			t.Fatal(err)
		}
		if err := c.read(); err == nil {
			t.Errorf("%s: a row of nulls was read", c.function)
		}
	}
}
