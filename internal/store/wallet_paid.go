package store

import (
	"context"
	"fmt"
)

// paidFor is how many days of wallet_paid are kept, and meant by a mean.
const paidFor = 7

// CountPaid adds at most so many entries of the ledger to the amounts taken from hot wallets by payouts, network costs included, by
// the hour. It reads entries up to the last one folded: nothing is added below it any more. It returns how many are left.
func (s *Store) CountPaid(ctx context.Context, most int64) (left int64, err error) {
	err = s.InTx(ctx, func(tx *Store) error {
		var after, folded int64
		err := tx.Q.NewRaw("select u.entry_id, p.folded from wallet_paid_upto u cross join ledger_passes p where p.live for update of u").
			Scan(ctx, &after, &folded)
		if err != nil {
			return fmt.Errorf("read how far payouts are counted: %w", err)
		}
		upto := min(folded, after+most)
		if left = folded - upto; upto <= after {
			return nil
		}
		return tx.countPaid(ctx, after, upto)
	})
	if err != nil {
		return 0, err
	}
	return left, nil
}

// countPaid adds the entries in (after, upto]. A posting's number is its entry's times 16 and its place.
func (s *Store) countPaid(ctx context.Context, after, upto int64) error {
	for _, statement := range []string{
		`insert into wallet_paid as w (network, asset, hour, amount)
			select substr(a.name, 9), p.asset, date_bin('1 hour', p.created_at, 'epoch'), sum(case when a.id = p.to_account then p.amount else -p.amount end)
			from postings p join accounts a on a.name like 'outside:%' and a.id in (p.from_account, p.to_account)
				join entries e on e.id = p.id / 16 and e.kind in ('payout_settled', 'gas_spent') and isfinite(p.created_at)
			where p.id >= (?0::bigint + 1) * 16 and p.id < (?1::bigint + 1) * 16 group by 1, 2, 3
			on conflict (network, asset, hour) do update set amount = w.amount + excluded.amount`,
		`delete from wallet_paid w where hour < now() - ?2 * interval '1 day'
			and exists (select from wallet_paid f where f.network = w.network and f.asset = w.asset and f.hour < w.hour)`,
		"update wallet_paid_upto set entry_id = ?1",
	} {
		if _, err := s.Q.NewRaw(statement, after, upto, paidFor).Exec(ctx); err != nil {
			return fmt.Errorf("count what payouts have taken: %w", err)
		}
	}
	return nil
}
