package store

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// errTaken replaces the database's refusal of a reference taken by another transaction since the look for it. It is
// IsRace, and not IsRolledBack.
var errTaken = errors.New("another transaction took a reference at the same moment")

// IsRace reports whether the transaction lost against another one and has left nothing behind: it may be tried again.
func IsRace(err error) bool {
	code := sqlState(err)
	return code == "40001" || code == "40P01" || errors.Is(err, errTaken)
}

// IsRolledBack reports whether the database itself refused the statement: nothing of it is there, and trying again
// would end the same. Everything else leaves open whether a commit took effect: a lost connection, a time-out, a server
// going down, a replica not promoted yet (25006).
func IsRolledBack(err error) bool {
	code := sqlState(err)
	for _, open := range []string{"", "08", "25006", "40", "53", "57", "58", "XX"} {
		if code == open || open != "" && strings.HasPrefix(code, open) {
			return false
		}
	}
	return true
}

// Violates reports whether err is the database's refusal by the named constraint or unique index.
func Violates(err error, constraint string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.ConstraintName == constraint
}

func sqlState(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}
