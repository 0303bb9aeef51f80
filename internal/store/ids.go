package store

import (
	"time"

	"github.com/google/uuid"
)

// FirstIDAt returns the lowest UUIDv7 of a millisecond.
func FirstIDAt(t time.Time) uuid.UUID {
	id := uuid.UUID{6: 0x70, 8: 0x80}
	ms := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i)) //nolint:gosec // the cut is meant: one byte of the number
	}
	return id
}
