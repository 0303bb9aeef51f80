package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// Difference is one finding of reconciliation.
type Difference struct {
	Check string `json:"check"` // the broken rule
	Where string `json:"where"` // account, network or row
	Asset string `json:"asset,omitempty"`
	Want  string `json:"want,omitempty"`
	Got   string `json:"got,omitempty"`
	// Network is the only network concerned; empty if the books themselves differ.
	Network string `json:"network,omitempty"`
	// Surplus: a network holds more than the books know. Anybody can cause this by sending something unseen, so it
	// stops nothing.
	Surplus bool `json:"surplus,omitempty"`

	Kind string    `json:"-"` // of a missing job, if the difference is one
	Ref  uuid.UUID `json:"-"`
}

// Stops reports whether payouts of the asset must wait until the difference is mended.
func (d *Difference) Stops() bool { return d.Asset != "" && !d.Surplus }

// Concerns reports whether the difference is about a network, as one of the books is about every network. An empty network is for any.
func (d *Difference) Concerns(network string) bool {
	return network == "" || d.Network == "" || d.Network == network
}

// LedgerDifferences checks the ledger against itself and the work against its jobs, all at one moment.
func (s *Store) LedgerDifferences(ctx context.Context) ([]Difference, error) {
	out := []Difference{}
	err := s.Snapshot(ctx, func(tx *Store) error {
		sums, err := tx.sums(ctx)
		if err != nil {
			return err
		}
		for _, c := range ledgerChecks {
			var rows []Difference
			if err := tx.Q.NewRaw(c.query, sums.Pass, sums.Folded).Scan(ctx, &rows); err != nil {
				return fmt.Errorf("check %q: %w", c.name, err)
			}
			for i := range rows {
				rows[i].Check = c.name
			}
			out = append(out, rows...)
		}
		return nil
	})
	return out, err
}

// SaveReport keeps the differences of a reconciliation, and forgets reports older than 7 days.
func (s *Store) SaveReport(ctx context.Context, differences []Difference) error {
	body, err := json.Marshal(differences)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	_, err = s.Q.NewRaw(`with old as (delete from reconcile_reports where at < now() - interval '7 days')
		insert into reconcile_reports (differences) values (?::jsonb)`, string(body)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	return nil
}

// LastReport returns the differences of the newest reconciliation; nothing when it never ran.
func (s *Store) LastReport(ctx context.Context) ([]Difference, error) {
	out := []Difference{}
	err := s.Q.NewRaw(`select d->>'check' as "check", d->>'where' as "where", coalesce(d->>'asset', '') as asset,
			coalesce(d->>'want', '') as want, coalesce(d->>'got', '') as got, coalesce(d->>'network', '') as network,
			coalesce((d->>'surplus')::boolean, false) as surplus
		from (select differences from reconcile_reports order by id desc limit 1) r,
			jsonb_array_elements(case jsonb_typeof(differences) when 'array' then differences else '[]' end) d`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the newest reconciliation: %w", err)
	}
	return out, nil
}

// WantedJob is a job meant to be always there.
type WantedJob struct {
	Kind string
	Ref  uuid.UUID
	Name string // for people
}

// MissingJobs returns a difference for each missing job.
func (s *Store) MissingJobs(ctx context.Context, wanted []WantedJob) ([]Difference, error) {
	kinds, refs, names := make([]string, len(wanted)), make([]string, len(wanted)), make([]string, len(wanted))
	for i, j := range wanted {
		kinds[i], refs[i], names[i] = j.Kind, j.Ref.String(), j.Name
	}
	var out []Difference
	err := s.Q.NewRaw(`select 'what comes again is planned' as "check", w.name as "where", 'a job' as want, 'none' as got, w.kind, w.ref
		from unnest(?::text[], ?::uuid[], ?::text[]) as w(kind, ref, name)
		where not exists (select from jobs j where j.kind = w.kind and j.ref = w.ref)`, pg.Array(kinds), pg.Array(refs), pg.Array(names)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look for missing jobs: %w", err)
	}
	return out, nil
}
