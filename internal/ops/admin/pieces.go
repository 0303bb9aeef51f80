package admin

import "github.com/google/uuid"

// perPiece is how many rows of a list are read at a time.
const perPiece = 500

// allRows reads a list of any length to its end, in pieces. Each piece goes on after the last row of the one before.
func allRows[T any](piece func(after uuid.UUID) ([]T, error), key func(*T) uuid.UUID) ([]T, error) {
	out, after := []T{}, uuid.Nil
	for {
		rows, err := piece(after)
		if err != nil {
			return nil, err
		}
		if out = append(out, rows...); len(rows) < perPiece {
			return out, nil
		}
		after = key(&rows[len(rows)-1])
	}
}
