package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// ContraryVitals tells of a payout whose network decided against it after it had ended: a reorganisation undid the
// transaction of its end, and another transaction of its nonce, or the same with another outcome, is final. Or the
// payout is open, and its final payment moved another amount than asked for.
type ContraryVitals struct {
	Payout  uuid.UUID
	Status  pay.PayoutStatus // completed, though txid has paid nobody, or refunded, though it has paid
	Network string
	Txid    string
	Arrived *decimal.Decimal // of an open payout: the amount its recipient got in place of Amount
	Amount  decimal.Decimal
	Token   string
	All     int64 // how many there are; one look returns the newest of them
}

const mostContrary = 20 // in one look, newest first

// AddContrary keeps final transactions that contradict the ends of their payouts. UnmineSigned and DismissContrary
// forget them.
func (s *Store) AddContrary(ctx context.Context, final []*pay.SignedTransaction) error {
	for _, t := range final {
		_, err := s.Q.NewRaw("insert into contrary_transactions (network, txid, payout_id) values (?, ?, ?) on conflict do nothing",
			t.Network, t.Txid, t.PayoutID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep a contrary transaction: %w", err)
		}
	}
	return nil
}

// AmissPayment is a final payment of an open payout that moved another amount than asked for: a person decides on the
// payout.
type AmissPayment struct {
	Network  string          `json:"network"`
	Txid     string          `json:"txid"`
	PayoutID uuid.UUID       `json:"-"`
	Arrived  decimal.Decimal `json:"arrived"` // at the recipient
	Spent    decimal.Decimal `json:"spent"`   // by the hot wallet
}

// AddAmiss keeps such a payment. UnmineSigned forgets it, and TakeAmiss.
func (s *Store) AddAmiss(ctx context.Context, a AmissPayment) error {
	_, err := s.Q.NewRaw(`insert into contrary_transactions (network, txid, payout_id, arrived, spent) values (?, ?, ?, ?, ?)
		on conflict do nothing`, a.Network, a.Txid, a.PayoutID, a.Arrived, a.Spent).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep an amiss payment: %w", err)
	}
	return nil
}

// AmissOf returns the amiss payment of an open payout, or nil.
func (s *Store) AmissOf(ctx context.Context, payout uuid.UUID) (*AmissPayment, error) {
	return s.amiss(ctx, "select network, txid, payout_id, arrived, spent from contrary_transactions where payout_id = ? and arrived is not null", payout)
}

// TakeAmiss is AmissOf, and forgets the payment, since a person has decided.
func (s *Store) TakeAmiss(ctx context.Context, payout uuid.UUID) (*AmissPayment, error) {
	return s.amiss(ctx, `delete from contrary_transactions where payout_id = ? and arrived is not null
		returning network, txid, payout_id, arrived, spent`, payout)
}

func (s *Store) amiss(ctx context.Context, query string, payout uuid.UUID) (*AmissPayment, error) {
	var found []AmissPayment
	if err := s.Q.NewRaw(query, payout).Scan(ctx, &found); err != nil {
		return nil, fmt.Errorf("look for an amiss payment: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// AmissSpent returns the sums spent by amiss payments, by network and asset: the ledger has none of it yet.
func (s *Store) AmissSpent(ctx context.Context) (map[string]map[string]decimal.Decimal, error) {
	var rows []struct {
		Network, Asset string
		Spent          decimal.Decimal
	}
	err := s.Q.NewRaw(`select c.network, p.asset, sum(c.spent) as spent from contrary_transactions c join payouts p on p.id = c.payout_id
		where c.spent is not null group by c.network, p.asset`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("add up amiss payments: %w", err)
	}
	out := map[string]map[string]decimal.Decimal{}
	for _, r := range rows {
		if out[r.Network] == nil {
			out[r.Network] = map[string]decimal.Decimal{}
		}
		out[r.Network][r.Asset] = r.Spent
	}
	return out, nil
}

// DismissContrary forgets the final transactions against the end of a payout, since a person has dealt with it, and
// returns the txids.
func (s *Store) DismissContrary(ctx context.Context, payout uuid.UUID) ([]string, error) {
	var txids []string
	err := s.Q.NewRaw("delete from contrary_transactions where payout_id = ? and arrived is null returning txid", payout).Scan(ctx, &txids)
	if err != nil {
		return nil, fmt.Errorf("dismiss contrary transactions: %w", err)
	}
	return txids, nil
}

// IsContrary reports whether something is final against how a payout had ended.
func (s *Store) IsContrary(ctx context.Context, payout uuid.UUID) (is bool, err error) {
	if err = s.Q.NewRaw("select exists (select from contrary_transactions where payout_id = ? and arrived is null)", payout).Scan(ctx, &is); err != nil {
		return false, fmt.Errorf("look for contrary transactions: %w", err)
	}
	return is, nil
}

// ContraryVitals returns the newest not yet dismissed, newest first.
func (s *Store) ContraryVitals(ctx context.Context) ([]ContraryVitals, error) {
	var out []ContraryVitals
	err := s.Q.NewRaw(`select p.id as payout, p.status, c.network, c.txid, c.arrived, p.amount, p.token, count(*) over () as all
		from contrary_transactions c join payouts p on p.id = c.payout_id order by c.seen_at desc, c.txid limit ?`, mostContrary).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of contrary transactions: %w", err)
	}
	return out, nil
}

// ContraryCount counts the payouts in ContraryVitals of one network, by status.
type ContraryCount struct {
	Network string
	Status  pay.PayoutStatus
	Payouts int64
}

// ContraryCounts returns the counts of every network with such payouts.
func (s *Store) ContraryCounts(ctx context.Context) ([]ContraryCount, error) {
	var out []ContraryCount
	err := s.Q.NewRaw(`select c.network, p.status, count(distinct p.id) as payouts from contrary_transactions c join payouts p on p.id = c.payout_id
		group by c.network, p.status order by c.network, p.status`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("count contrary transactions: %w", err)
	}
	return out, nil
}

// PaidBy writes the new txid of completed payouts: a reorganisation undid the transactions of their completion, and
// others have paid.
func (s *Store) PaidBy(ctx context.Context, payouts []*pay.Payout) error {
	for _, p := range payouts {
		res, err := s.Q.NewRaw("update payouts set txid = ?, updated_at = now() where id = ? and status = 'completed'", p.Txid, p.ID).Exec(ctx)
		if _, err := changed(res, err, "name what has paid a payout"); err != nil {
			return err
		}
	}
	return nil
}

// Nonces returns the transactions signed for payouts on a network, with only their txid, payout, address, nonce,
// state and taken_by set.
func (s *Store) Nonces(ctx context.Context, network string, payouts []uuid.UUID) (map[uuid.UUID][]pay.SignedTransaction, error) {
	out := map[uuid.UUID][]pay.SignedTransaction{}
	if len(payouts) == 0 {
		return out, nil
	}
	var rows []pay.SignedTransaction
	err := s.Q.NewSelect().Model(&rows).Column("network", "txid", "payout_id", "address", "nonce", "taken_by", "state").
		Where("payout_id in (?) and network = ?", bun.List(payouts), network).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the nonces of payouts: %w", err)
	}
	for i := range rows {
		out[rows[i].PayoutID] = append(out[rows[i].PayoutID], rows[i])
	}
	return out, nil
}
