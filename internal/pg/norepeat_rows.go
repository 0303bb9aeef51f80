package pg

import (
	"database/sql/driver"
	"errors"
	"io"
	"slices"

	"github.com/jackc/pgx/v5/stdlib"
)

// noRepeatRows hands out the last row of a statement only when the statement has ended well. A server going down sends
// the rows of `insert … returning` before it would have committed them, and a caller wanting one row does not look
// further.
type noRepeatRows struct {
	*stdlib.Rows
	ahead []driver.Value // read, and not handed out yet
	end   error          // why there is no more; io.EOF after a statement ended well
}

// Next implements driver.Rows.
func (r *noRepeatRows) Next(dest []driver.Value) error {
	if r.ahead == nil {
		r.ahead = make([]driver.Value, len(dest))
		r.read()
	}
	if r.end != nil {
		return r.end
	}
	copy(dest, r.ahead)
	if r.read(); r.end != nil && !errors.Is(r.end, io.EOF) {
		return r.end
	}
	return nil
}

// read reads the next row. The driver may write over its bytes when it reads on.
func (r *noRepeatRows) read() {
	r.ahead = make([]driver.Value, len(r.ahead))
	r.end = r.Rows.Next(r.ahead)
	for i, v := range r.ahead {
		if b, ok := v.([]byte); ok {
			r.ahead[i] = slices.Clone(b)
		}
	}
}
