package store

import (
	"context"
	"fmt"
	"time"
)

// LookVitals is how long ago a network was compared with the books.
type LookVitals struct {
	Network   string
	AgeMS     int64  // since the last whole look; since the first try, when there was none
	Never     bool   // there was none
	Unreached string // why the newest try came to nothing; empty: it did not
}

// LookVitals returns for each followed network how long ago it was compared with the books.
func (s *Store) LookVitals(ctx context.Context) ([]LookVitals, error) {
	var out []LookVitals
	err := s.Q.NewRaw(`select network, greatest(0, extract(epoch from now() - coalesce(looked_at, since)) * 1000)::bigint as age_ms,
			looked_at is null as never, unreached
		from reconcile_looks order by network`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read looks: %w", err)
	}
	return out, nil
}

// ReportVitals sums up the newest reconciliation.
type ReportVitals struct {
	At          time.Time
	Differences int64
	Surpluses   int64 // how many of them are surpluses of a network
	AgeMS       int64
}

// ReportVitals returns the newest report; false when reconciliation never ran.
func (s *Store) ReportVitals(ctx context.Context) (ReportVitals, bool, error) {
	var rows []ReportVitals
	err := s.Q.NewRaw(`select at, case jsonb_typeof(differences) when 'array' then jsonb_array_length(differences) else 0 end as differences,
			jsonb_array_length(jsonb_path_query_array(differences, '$[*] ? (@.surplus == true)')) as surpluses,
			greatest(0, extract(epoch from now() - at) * 1000)::bigint as age_ms
		from reconcile_reports order by id desc limit 1`).Scan(ctx, &rows)
	if err != nil {
		return ReportVitals{}, false, fmt.Errorf("read the newest reconciliation: %w", err)
	}
	if len(rows) == 0 {
		return ReportVitals{}, false, nil
	}
	return rows[0], true, nil
}

// DriftVitals is how often the newest reconciliation found one check of one asset broken, on one network or, if it is empty, in the books.
type DriftVitals struct {
	Asset, Check, Network string
	Differences           int64
}

// DriftVitals returns the differences of the newest reconciliation, by asset, check and network; of all accounts
// together.
func (s *Store) DriftVitals(ctx context.Context) ([]DriftVitals, error) {
	found, err := s.LastReport(ctx)
	if err != nil {
		return nil, err
	}
	at := map[[3]string]int{}
	var out []DriftVitals
	for _, d := range found {
		k := [3]string{d.Asset, d.Check, d.Network}
		if _, known := at[k]; !known {
			at[k] = len(out)
			out = append(out, DriftVitals{Asset: d.Asset, Check: d.Check, Network: d.Network})
		}
		out[at[k]].Differences++
	}
	return out, nil
}
