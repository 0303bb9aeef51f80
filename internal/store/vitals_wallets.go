package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
)

// WalletVitals tells of one asset on one network: what is there for payouts, and what payouts ask for.
type WalletVitals struct {
	Network  string
	Asset    string
	Address  string          // of the hot wallet, as people write it; empty before the first whole look
	Seen     bool            // a whole look has ended; without one, Hot, Cold and Deposits are not known
	AgeMS    int64           // since that look began
	Hot      decimal.Decimal // of the hot wallet
	Cold     decimal.Decimal // of the cold addresses together
	Deposits decimal.Decimal // of all other used addresses together
	Payable  decimal.Decimal // what payouts can be paid from: Hot without what it has staked, or the coins of the books where coins are spent whole
	Mixed    decimal.Decimal // in coins with tokens of others, beside Payable
	Moving   decimal.Decimal // by signed moves of the treasury that are not final; it is in one of the others
	Awaited  decimal.Decimal // queued payouts, without those waiting for a person's approval
	Promised decimal.Decimal // signed payouts still in Payable; read only if the wallet may be too small
	Missing  decimal.Decimal // from Payable, for all queued payouts to be paid
	Daily    decimal.Decimal // taken by payouts a day, network costs included: the mean of the last seven days
}

// Left is what the hot wallet has for queued payouts.
func (v *WalletVitals) Left() decimal.Decimal { return v.Awaited.Sub(v.Missing) }

// LastsDays returns for how many days the hot wallet lasts at the present rate; false when nothing was paid, or no look has ended.
func (v *WalletVitals) LastsDays() (float64, bool) {
	if !v.Seen || !v.Daily.IsPositive() {
		return 0, false
	}
	return v.Payable.InexactFloat64() / v.Daily.InexactFloat64(), true
}

// pots are the coins that the books give to hot wallets, spent in no block, by network and asset. Those under way are among them, and
// mixed ones are apart.
const pots = `pots as (select c.network, t.balance_key as asset, coalesce(sum(c.amount) filter (where not c.mixed), 0) as amount,
				coalesce(sum(c.amount) filter (where c.mixed), 0) as mixed, count(*) filter (where c.mixed) as mixed_coins from coins c
			join followers f on f.network = c.network and f.wallet = c.address join tokens t on t.network = c.network and t.symbol = c.token
			where c.spent_by is null and c.height is not null group by 1, 2)`

// WalletVitals returns every asset of a network held, or awaited there, by network and asset. A mean is of the days since the first
// payout there, where these are fewer than seven; and of one day at least.
func (s *Store) WalletVitals(ctx context.Context) ([]WalletVitals, error) {
	var out []WalletVitals
	err := s.Q.NewRaw(`with held as (
			select network, asset, max(amount) filter (where kind = 'hot') as hot, max(amount) filter (where kind = 'deposits') as deposits,
				max(amount) filter (where kind = 'cold') as cold, coalesce(max(amount) filter (where kind = 'staked'), 0) as staked, max(address) as address, max(height) as height, min(seen_at) as seen_at from wallet_holdings group by 1, 2),
		queued as (
			select p.network, p.asset, sum(p.amount) as amount from payouts p `+ofPayouts+`
			where p.wire_status = 'pending' and p.status = 'queued' and not p.cancelling and (`+waits+`) is not true group by 1, 2),
		signed as (
			select network, asset, sum(amount) as amount from payouts where wire_status = 'pending' and status in ('signed', 'sent') group by 1, 2),
		moving as (
			select m.network, k.balance_key as asset, sum(m.amount) as amount from treasury_moves m join tokens k on k.network = m.network and k.symbol = m.token
			where m.status in ('signed', 'sent') and m.kind in ('sweep', 'topup', 'cold') group by 1, 2),
		`+pots+`,
		paid as (
			select network, asset, sum(amount) filter (where hour > now() - ?0 * interval '1 day')
				/ greatest(1, least(?0, extract(epoch from now() - min(hour)) / 86400)) as daily from wallet_paid group by 1, 2)
		select network, asset, coalesce(h.address, '') as address, h.hot is not null as seen,
			coalesce(greatest(0, extract(epoch from now() - h.seen_at) * 1000), 0)::bigint as age_ms,
			coalesce(h.hot, 0) as hot, coalesce(h.deposits, 0) as deposits, coalesce(h.cold, 0) as cold, coalesce(c.amount, h.hot - h.staked, 0) as payable, coalesce(c.mixed, 0) as mixed, coalesce(v.amount, 0) as moving, coalesce(q.amount, 0) as awaited, coalesce(o.amount, 0) as promised,
			coalesce(greatest(0, q.amount + coalesce(o.amount, 0) - coalesce(c.amount, h.hot - h.staked)), 0) as missing, coalesce(round(d.daily, 18), 0) as daily
		from held h full join queued q using (network, asset) left join signed s using (network, asset) left join paid d using (network, asset)
			left join moving v using (network, asset) left join pots c using (network, asset)
			left join lateral (select sum(p.amount) as amount from payouts p
				where q.amount + s.amount > coalesce(c.amount, h.hot - h.staked) and p.network = h.network and p.asset = h.asset and p.wire_status = 'pending' and p.status in ('signed', 'sent')
				and not exists (select from signed_transactions t where t.payout_id = p.id and t.state = 'mined' and (c.amount is not null or t.height <= h.height))) o on true
		order by network, asset`, paidFor).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of hot wallets: %w", err)
	}
	return out, nil
}
