package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// PayoutVitals tells of the payouts of one network pending on the wire.
type PayoutVitals struct {
	Network  string
	Open     int64
	OldestMS int64
}

// PayoutVitals returns every network with open payouts.
func (s *Store) PayoutVitals(ctx context.Context) ([]PayoutVitals, error) {
	var out []PayoutVitals
	err := s.Q.NewRaw(`select network, count(*) as open, greatest(0, extract(epoch from now() - min(created_at)) * 1000)::bigint as oldest_ms
		from payouts where wire_status = 'pending' group by network order by network`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of payouts: %w", err)
	}
	return out, nil
}

// BroadcastVitals counts the signed transactions of a network not known to be there.
type BroadcastVitals struct {
	Network string
	Unknown int64
}

// BroadcastVitals returns every network with such transactions; those of the last seconds are on their way.
func (s *Store) BroadcastVitals(ctx context.Context) ([]BroadcastVitals, error) {
	var out []BroadcastVitals
	err := s.Q.NewRaw(`select network, count(*) as unknown from signed_transactions
		where open and state = 'signed' and signed_at < now() - interval '5 seconds' group by network order by network`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of broadcasts: %w", err)
	}
	return out, nil
}

// UntakenVitals tells of the payouts of one network signed a while ago and not taken by the network.
type UntakenVitals struct {
	Network  string
	Payouts  int64
	OldestMS int64     // since the first signature of the oldest, or since its end was undone
	Oldest   uuid.UUID // its id
	Reason   string    // why it was not taken the last time
}

// UntakenVitals returns, by network, the payouts not taken by their network. A payout is among them if its first
// signature is ten minutes old and its last attempt at sending failed; it may be open, or may have ended before a
// reorganisation undid its end. An ended payout is also among them if its transaction was sent again ten minutes ago
// and no block has taken it. Payouts with a transaction in a block, or without an open transaction, are left out.
func (s *Store) UntakenVitals(ctx context.Context) ([]UntakenVitals, error) {
	var out []UntakenVitals
	err := s.Q.NewRaw(`with failing as (
			select p.network, p.id, t.first, coalesce(j.last_error, '') as reason
			from jobs j join payouts p on p.id = j.ref and p.status in ('signed', 'sent', 'completed', 'refunded')
				cross join lateral (select min(signed_at) as first, bool_or(state in ('signed', 'sent')) and not bool_or(state = 'mined') as untaken
					from signed_transactions where payout_id = p.id) t
			where j.kind = 'payout.broadcast' and j.failures > 0 and t.untaken and t.first < now() - interval '10 minutes'),
		undone as (
			select p.network, p.id, t.first, 'it had ended, its network has undone that, and no block takes it again' as reason
			from (select payout_id, min(coalesce(sent_at, signed_at)) as first from signed_transactions
				where open and state <> 'mined' and coalesce(sent_at, signed_at) < now() - interval '10 minutes' group by payout_id) t
				join payouts p on p.id = t.payout_id and p.status in ('completed', 'refunded')
			where not exists (select from failing f where f.id = p.id)
				and not exists (select from signed_transactions m where m.payout_id = p.id and m.state = 'mined'))
		select network, count(*) as payouts, greatest(0, extract(epoch from now() - min(first)) * 1000)::bigint as oldest_ms,
			(array_agg(id order by first, id))[1] as oldest, (array_agg(reason order by first, id))[1] as reason
		from (select * from failing union all select * from undone) u group by network order by network`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of payouts that are not taken: %w", err)
	}
	return out, nil
}

// UnsignedVitals tells of the payouts of one network not signed for one reason.
type UnsignedVitals struct {
	Network  string
	Payouts  int64
	OldestMS int64     // since the oldest could have been signed
	Oldest   uuid.UUID // its id
	Reason   string    // why it was not signed the last time
}

const (
	mostFailing = 10_000 // failing payouts in one look, oldest first
	mostReasons = 20     // in one look, those of most payouts first
)

// UnsignedVitals returns, by network and reason, the payouts that could have been signed for ten minutes and failed in
// their last attempt. The ten minutes count from the request, the approval, or the end of the merchant's suspension or
// debt. Payouts waiting for an approval are left out, and so are payouts of a stopped asset, wallet or network: a stop
// is shown by itself. Reasons with a difference only in their numbers count as one.
func (s *Store) UnsignedVitals(ctx context.Context) ([]UnsignedVitals, error) {
	var out []UnsignedVitals
	err := s.Q.NewRaw(`select p.network, count(*) as payouts, greatest(0, extract(epoch from now() - min(t.since)) * 1000)::bigint as oldest_ms,
			(array_agg(p.id order by t.since, p.id))[1] as oldest, (array_agg(j.reason order by t.since, p.id))[1] as reason
		from (select ref, coalesce(last_error, '') as reason from jobs where kind = 'payout.broadcast' and failures > 0 order by ref limit ?) j
			join payouts p on p.id = j.ref and p.status = 'queued'
			`+ofPayouts+`
			cross join lateral (select coalesce(a.decided_at, greatest(p.created_at, m.suspension_changed_at, d.changed_at)) as since) t
		where t.since < now() - interval '10 minutes' and (`+waits+`) is not true
			and not exists (select from stopped_assets s where s.asset = p.asset and s.network in ('', p.network))
			and not exists (select from stopped_wallets s where s.network = p.network and s.forgotten_at is null)
			and not exists (select from followers f where f.network = p.network and f.halted)
		group by p.network, regexp_replace(j.reason, '[0-9][0-9.]*', '', 'g') order by payouts desc, p.network, reason limit ?`,
		mostFailing, mostReasons).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of payouts that are not signed: %w", err)
	}
	return out, nil
}

// ApprovalVitals tells of the payouts waiting for an operator's approval.
type ApprovalVitals struct {
	Payouts  int64
	OldestMS int64 // since the oldest began to wait
}

// ApprovalVitals counts the payouts waiting for approval.
func (s *Store) ApprovalVitals(ctx context.Context) (ApprovalVitals, error) {
	var out ApprovalVitals
	err := s.Q.NewRaw(`select count(*) as payouts, coalesce(greatest(0, extract(epoch from now() - min(`+waitsSince+`)) * 1000), 0)::bigint as oldest_ms
		from `+mayWait+` where `+waits).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("read the vitals of approvals: %w", err)
	}
	return out, nil
}
