package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"causeway/internal/pg"
)

// Archived is a table whose rows are written to archives, each as texts; null is empty, and a moment is in UTC.
type Archived struct {
	Name    string
	Columns []string // the first is the row's number

	page, probe, ends string
}

// Archives are the archived tables. A posting stands with its entry and the names of its accounts: a statement needs no other table.
var Archives = []Archived{
	{
		Name: "postings",
		Columns: []string{"id", "created_at_utc", "entry", "kind", "entry_subject", "turn", "digest", "from_account", "to_account", "asset", "amount",
			"merchant", "movement", "balance_after", "network", "types", "subject", "panel"},
		page: `select p.id, p.id::text, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), (p.id / 16)::text,
				coalesce(e.kind::text, ''), coalesce(e.subject::text, ''), coalesce(e.turn::text, ''), coalesce(encode(e.digest, 'hex'), ''),
				coalesce(f.name, ''), coalesce(t.name, ''), p.asset, p.amount::text, coalesce(p.merchant_id::text, ''), coalesce(p.movement, ''),
				coalesce(p.balance_after::text, ''), coalesce(p.network, ''), coalesce(p.types, ''), coalesce(p.subject::text, ''),
				case when p.panel then 'true' else '' end
			from postings p left join entries e on e.id = p.id / 16
			left join accounts f on f.id = p.from_account left join accounts t on t.id = p.to_account
			where p.id >= $1 and p.id < $2 and p.created_at >= $3 and p.created_at < $4 order by p.id limit $5`,
		probe: "select id, created_at from postings where id >= $1 order by id limit 1",
		ends:  "select coalesce(min(id), 0), coalesce(max(id), 0) from postings",
	},
	{
		Name:    "audit",
		Columns: []string{"id", "at_utc", "actor", "action", "subject", "before", "after", "hash"},
		page: `select a.id, a.id::text, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), a.actor, a.action, a.subject,
				coalesce(a.before::text, ''), coalesce(a.after::text, ''), encode(a.hash, 'hex')
			from audit a where a.id >= $1 and a.id < $2 and a.at >= $3 and a.at < $4 order by a.id limit $5`,
		probe: "select id, at from audit where id >= $1 order by id limit 1",
		ends:  "select coalesce(min(id), 0), coalesce(max(id), 0) from audit",
	},
}

const (
	// archivePage is how many rows one statement reads: neither side keeps more.
	archivePage = 5000
	// archiveSkew is by how much the times of two rows may be in another order than their numbers. A row has the time at which its
	// transaction began, and no transaction of ours lasts a minute.
	archiveSkew = 24 * time.Hour
)

// ArchivedRows hands the rows made in [from, until) to row, in the order of their numbers. A row is good until the next one.
func (s *Store) ArchivedRows(ctx context.Context, t *Archived, from, until time.Time, row func([]string) error) error {
	next, err := s.archivedFrom(ctx, t, from.Add(-archiveSkew))
	if err != nil {
		return err
	}
	end, err := s.archivedFrom(ctx, t, until.Add(archiveSkew))
	if err != nil {
		return err
	}
	var id int64
	texts := make([]string, len(t.Columns))
	targets := []any{&id}
	for i := range texts {
		targets = append(targets, &texts[i])
	}
	for read := archivePage; read == archivePage; {
		read = 0
		err := pg.Rows(ctx, s.Q, "read "+t.Name, func(rows *sql.Rows) error {
			if err := rows.Scan(targets...); err != nil {
				return err
			}
			next, read = id+1, read+1
			return row(texts)
		}, t.page, next, end, from, until, archivePage)
		if err != nil {
			return err
		}
	}
	return nil
}

// ArchivedSince returns the time of a table's first row; the zero time without any.
func (s *Store) ArchivedSince(ctx context.Context, t *Archived) (time.Time, error) {
	_, at, err := s.archivedAt(ctx, t, 0)
	return at, err
}

// archivedFrom returns the number of about the first row of a moment or later, by halving: the tables have no index of their times.
func (s *Store) archivedFrom(ctx context.Context, t *Archived, moment time.Time) (int64, error) {
	var low, high int64
	if err := pg.Rows(ctx, s.Q, "read the ends of "+t.Name, func(rows *sql.Rows) error { return rows.Scan(&low, &high) }, t.ends); err != nil {
		return 0, err
	}
	for high++; low < high; {
		middle := low + (high-low)/2
		id, at, err := s.archivedAt(ctx, t, middle)
		if err != nil {
			return 0, err
		}
		if id != 0 && at.Before(moment) {
			low = id + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// archivedAt returns the first row at or above a number; 0 without one.
func (s *Store) archivedAt(ctx context.Context, t *Archived, number int64) (id int64, at time.Time, err error) {
	err = pg.Rows(ctx, s.Q, "look into "+t.Name, func(rows *sql.Rows) error { return rows.Scan(&id, &at) }, t.probe, number)
	if err != nil {
		return 0, at, fmt.Errorf("find a month: %w", err)
	}
	return id, at, nil
}
