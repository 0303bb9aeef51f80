package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
)

// sums is the live pass of account_sums, and the last entry folded into it.
type sums struct{ Pass, Folded int64 }

// moves is every account's sum up to the last folded entry, and each movement after it: together they are exact at
// every moment. The numbers are written into the text, so the planner sees how little comes after them. A posting's
// number is its entry's times 16 and its place.
const moves = `(select account, asset, amount from account_sums where pass = ?0
	union all select from_account, asset, -amount from postings where id >= (?1::bigint + 1) * 16
	union all select to_account, asset, amount from postings where id >= (?1::bigint + 1) * 16)`

func (s *Store) sums(ctx context.Context) (sums, error) {
	var out sums
	err := s.Q.NewRaw("select pass, folded from ledger_passes where live").Scan(ctx, &out.Pass, &out.Folded)
	return out, one(err, "the ledger's live pass")
}

// FoldLedger adds at most so many entries to the sums of their accounts, and returns how many more could be. On the way
// it notes entries that differ from how they were written. Everything is counted again once a day, and as soon as the
// server was restarted or has counted a change or a removal in the ledger, which must never be.
func (s *Store) FoldLedger(ctx context.Context, most int64) (left int64, err error) {
	if err := s.Q.NewRaw("select fold_ledger(?)", most).Scan(ctx, &left); err != nil {
		return 0, fmt.Errorf("fold the ledger: %w", err)
	}
	return left, nil
}

// RecountLedger makes FoldLedger count every entry again, from the first one.
func (s *Store) RecountLedger(ctx context.Context) error {
	if _, err := s.Q.NewRaw("update ledger_passes set recount = true where live").Exec(ctx); err != nil {
		return fmt.Errorf("recount the ledger: %w", err)
	}
	return nil
}

// LedgerCounted reports whether no count of the whole ledger is asked for or going on.
func (s *Store) LedgerCounted(ctx context.Context) (bool, error) {
	var counted bool
	err := s.Q.NewRaw("select bool_and(live and not recount) from ledger_passes").Scan(ctx, &counted)
	return counted, one(err, "the ledger's passes")
}

// LedgerHoldings returns by network and asset the amounts to be found on the chain at the followed height: the outside
// account with its sign turned, and transfers in blocks not booked yet. It belongs into a Snapshot.
func (s *Store) LedgerHoldings(ctx context.Context) (map[string]map[string]decimal.Decimal, error) {
	sums, err := s.sums(ctx)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Network, Asset string
		Amount         decimal.Decimal
	}
	err = s.Q.NewRaw(`select network, asset, sum(amount) as amount from (
			select substr(a.name, 9) as network, m.asset, -m.amount as amount
			from `+moves+` m join accounts a on a.id = m.account where a.name like 'outside:%'
			union all
			select t.network, k.balance_key, t.amount from transfers t join tokens k on k.symbol = t.token and k.network = t.network
			where t.open and t.status = 'seen' and t.height <= (select max(height) from chain_blocks b where b.network = t.network)) x
		group by network, asset`, sums.Pass, sums.Folded).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("holdings by the ledger: %w", err)
	}
	out := map[string]map[string]decimal.Decimal{}
	for _, r := range rows {
		if out[r.Network] == nil {
			out[r.Network] = map[string]decimal.Decimal{}
		}
		out[r.Network][r.Asset] = r.Amount
	}
	return out, nil
}

// Purse is the amount of one asset in an account of the platform, or of all merchants together.
type Purse struct {
	Account string // as the chart names it, MerchantsAvailable or MerchantsLocked
	Asset   string
	Amount  decimal.Decimal
}

// The accounts of Purse for all merchants together.
const (
	MerchantsAvailable = "merchants:available"
	MerchantsLocked    = "merchants:locked"
)

// Purses returns every account of the platform, and merchants as sums, by asset; exact at one moment.
func (s *Store) Purses(ctx context.Context) ([]Purse, error) {
	var out []Purse
	err := s.Snapshot(ctx, func(tx *Store) error {
		sums, err := tx.sums(ctx)
		if err != nil {
			return err
		}
		return tx.Q.NewRaw(`select a.name as account, m.asset, sum(m.amount) as amount from `+moves+` m join accounts a on a.id = m.account
				where a.merchant_id is null group by 1, 2
			union all select '`+MerchantsAvailable+`', asset, sum(available) from balances group by asset
			union all select '`+MerchantsLocked+`', asset, sum(locked) from balances group by asset
			order by 2, 1`, sums.Pass, sums.Folded).Scan(ctx, &out)
	})
	if err != nil {
		return nil, fmt.Errorf("add up the accounts: %w", err)
	}
	return out, nil
}
