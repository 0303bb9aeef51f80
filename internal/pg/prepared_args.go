package pg

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// preparedArgs puts the arguments of a prepared statement into forms written by the driver as they are. In other lists
// it looks at each element by reflection, and it writes an id as text and reads it again: half of a follower's time
// went there.
func preparedArgs(args []any) []any {
	out := make([]any, 0, len(args)+1)
	out = append(out, pgx.QueryExecModeCacheStatement)
	for _, arg := range args {
		switch list := arg.(type) {
		case []uuid.UUID:
			arg = inArray(list, func(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} })
		case []*uuid.UUID:
			arg = inArray(list, func(id *uuid.UUID) pgtype.UUID {
				if id == nil {
					return pgtype.UUID{}
				}
				return pgtype.UUID{Bytes: *id, Valid: true}
			})
		case []*string:
			arg = inArray(list, func(text *string) pgtype.Text {
				if text == nil {
					return pgtype.Text{}
				}
				return pgtype.Text{String: *text, Valid: true}
			})
		}
		out = append(out, arg)
	}
	return out
}

// inArray writes a list with a form for each element; nil stays null.
func inArray[T, E any](list []T, form func(T) E) pgtype.FlatArray[E] {
	if list == nil {
		return nil
	}
	out := make(pgtype.FlatArray[E], len(list))
	for i, element := range list {
		out[i] = form(element)
	}
	return out
}
