package migrations

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// requireByteOrder refuses a database unless it is UTF-8 and its text is in the order of bytes. The next version of a
// library may order text otherwise, and an index made before then misses rows, a payout's reference among them. The
// order of bytes is also the fastest, and everything has been tested in it.
func requireByteOrder(ctx context.Context, conn bun.IConn) error {
	var name, encoding, order, provider string
	err := conn.QueryRowContext(ctx, `
select datname, pg_encoding_to_char(encoding), datcollate, case datlocprovider when 'c' then 'libc' when 'i' then 'icu' else 'postgres' end
from pg_database where datname = current_database()`).Scan(&name, &encoding, &order, &provider)
	if err != nil {
		return fmt.Errorf("look at the database's order of text: %w", err)
	}
	remedy := "drop it, and make it so: createdb -T template0 -E UTF8 --locale-provider=libc --locale=C " + name
	switch {
	case encoding != "UTF8":
		return fmt.Errorf("the database %s is %s and not UTF8; %s", name, encoding, remedy)
	case provider == "icu":
		return fmt.Errorf("the database %s orders text by ICU, whose order changes with system upgrades; %s", name, remedy)
	case provider == "libc" && order != "C" && order != "POSIX":
		return fmt.Errorf("the database %s orders text by %s, whose order changes with system upgrades; %s", name, order, remedy)
	}
	return nil
}
