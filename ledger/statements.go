package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// StatementLine is one movement on a merchant's statement (addendum §10). Amount is positive; Movement.Direction tells
// the sign. Both references are the payin's or payout's. Txid is of the transfer, or of the payout.
type StatementLine struct {
	ID                int64
	Movement          Movement
	Asset             string
	Amount            decimal.Decimal
	BalanceAfter      decimal.Decimal // total, available and locked together
	Network           *string
	ReferenceID       *string
	InternalReference *uuid.UUID
	Txid              *string
	CreatedAt         time.Time
}

// MovementTotal is the sum of the movements of one asset and type.
type MovementTotal struct {
	Asset    string
	Movement Movement
	Count    int
	Total    decimal.Decimal
}

// StatementFilter selects movements of one merchant; zero fields do not filter. From and the amounts are inclusive,
// Until is exclusive.
type StatementFilter struct {
	Merchant  uuid.UUID
	Panel     bool // with the movements of what was made in the panel; the API shows none of these
	Movement  Movement
	Direction string
	Asset     string
	Network   string
	Reference string // of the payin or payout
	From      time.Time
	Until     time.Time
	MinAmount decimal.NullDecimal
	MaxAmount decimal.NullDecimal
}

func (f *StatementFilter) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.TableExpr("postings AS p").Where("p.movement is not null").Where("p.merchant_id = ?", f.Merchant)
	q = whereSet(q, !f.Panel, "p.panel is null")
	q = whereSet(q, f.Movement != "", "p.movement = ?", f.Movement)
	q = whereSet(q, f.Direction != "", "p.movement in (?)", bun.List(f.Kinds()))
	q = whereSet(q, f.Asset != "", "p.asset = ?", f.Asset)
	q = whereSet(q, f.Network != "", "p.network = ?", f.Network)
	q = whereSet(q, !f.From.IsZero(), "p.created_at >= ?", f.From)
	q = whereSet(q, !f.Until.IsZero(), "p.created_at < ?", f.Until)
	q = whereSet(q, f.MinAmount.Valid, "p.amount >= ?", f.MinAmount)
	q = whereSet(q, f.MaxAmount.Valid, "p.amount <= ?", f.MaxAmount)
	return whereSet(q, f.Reference != "", `p.id in (
		select m.id from payins i join postings f on f.subject = i.id and f.types is not null -- as the index has it
		join postings m on m.id between f.id and f.id | 15
		where i.merchant_id = ?0 and i.reference_id = ?2
		union all
		select m.id from payouts o join entries e on e.subject = o.id join postings m on m.id between e.id * 16 and e.id * 16 + 15
		where o.merchant_id = ?0 and o.reference_id = ?1)`, f.Merchant, f.Reference, pay.TrimmedReference(f.Reference))
}

func whereSet(q *bun.SelectQuery, set bool, condition string, args ...any) *bun.SelectQuery {
	if !set {
		return q
	}
	return q.Where(condition, args...)
}

// AnsweredByCounts reports whether the counts of movements by asset, network, type and day answer the filter: it does not ask for
// amounts or a reference.
func (f *StatementFilter) AnsweredByCounts() bool {
	return !f.MinAmount.Valid && !f.MaxAmount.Valid && f.Reference == ""
}

// Kinds returns the types allowed by movement and direction.
func (f *StatementFilter) Kinds() (kinds []string) {
	for _, m := range Movements {
		if (f.Movement == "" || f.Movement == m) && (f.Direction == "" || f.Direction == m.Direction()) {
			kinds = append(kinds, string(m))
		}
	}
	return kinds
}

// SearchMovements returns a page of the filter's movements, newest first with ties broken by id, and how many there are
// on all pages. It looks at every movement that may match, for filters not AnsweredByCounts. Page counts from 1.
func SearchMovements(ctx context.Context, db bun.IDB, f StatementFilter, page, perPage int) ([]StatementLine, int, error) {
	total, err := f.narrow(db.NewSelect()).Count(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count movements: %w", err)
	}
	var ids []string
	err = f.narrow(db.NewSelect()).ColumnExpr("p.id").Order("p.created_at DESC", "p.id DESC").
		Limit(int64(perPage)).Offset(int64(page-1)*int64(perPage)).Scan(ctx, &ids)
	if err != nil {
		return nil, 0, fmt.Errorf("look for movements: %w", err)
	}
	lines, err := MovementsByID(ctx, db, ids)
	return lines, int(total), err
}

// MovementsBelow returns up to limit movements of the filter after the line last, in the order of SearchMovements; nil
// is the beginning. It looks at no movement before last, so a whole statement can be read in pieces.
func MovementsBelow(ctx context.Context, db bun.IDB, f StatementFilter, last *StatementLine, limit int) ([]StatementLine, error) {
	q := f.narrow(db.NewSelect()).ColumnExpr("p.id").Order("p.created_at DESC", "p.id DESC").Limit(int64(limit))
	if last != nil {
		q = q.Where("p.created_at <= ?0 and (p.created_at, p.id) < (?0, ?1)", last.CreatedAt, last.ID)
	}
	var ids []string
	if err := q.Scan(ctx, &ids); err != nil {
		return nil, fmt.Errorf("look for movements below one: %w", err)
	}
	return MovementsByID(ctx, db, ids)
}

// MovementsByID reads movements by their ids, newest first with ties broken by id.
func MovementsByID(ctx context.Context, db bun.IDB, ids []string) (lines []StatementLine, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = db.NewRaw(`select p.id, p.movement, p.asset, p.amount, p.balance_after, p.network, p.created_at,
			coalesce(i.reference_id, o.reference_id) as reference_id, coalesce(i.id, o.id) as internal_reference,
			coalesce(t.txid, o.txid) as txid
		from postings p
		join entries e on e.id = p.id / 16
		left join payins i on i.id = p.subject
		left join payouts o on o.id = e.subject
		left join transfers t on t.id = e.subject
		where p.id in (?)
		order by p.created_at desc, p.id desc`, bun.List(ids)).Scan(ctx, &lines)
	if err != nil {
		return nil, fmt.Errorf("read movements: %w", err)
	}
	return lines, nil
}

// MovementTotals adds the filter's movements up by asset and type.
func MovementTotals(ctx context.Context, db bun.IDB, f StatementFilter) ([]MovementTotal, error) {
	var sums []MovementTotal
	err := f.narrow(db.NewSelect()).
		ColumnExpr("p.asset, p.movement, count(*) AS count, sum(p.amount) AS total").
		Group("p.asset", "p.movement").Order("p.asset", "p.movement").Scan(ctx, &sums)
	if err != nil {
		return nil, fmt.Errorf("sum movements: %w", err)
	}
	return sums, nil
}
