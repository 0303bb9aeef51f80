package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// Scanner is a row of an answer, from database/sql or from pgx.
type Scanner interface{ Scan(to ...any) error }

// Quick reads many rows directly from the driver, for about half of the time that database/sql takes. The query only reads. It is
// planned for its arguments at each call, since the best plan depends on how many rows a merchant has. It runs on the pool, never in a
// transaction.
func Quick(ctx context.Context, db *bun.DB, each func(Scanner) error, query string, args ...any) (err error) {
	conn, err := db.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(driver any) error {
		steady, ok := driver.(*noRepeatConn)
		if !ok {
			return fmt.Errorf("a connection that is a %T", driver)
		}
		rows, err := steady.Conn.Conn().Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
