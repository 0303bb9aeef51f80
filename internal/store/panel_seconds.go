package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

const (
	// ruleLasts is how long a rule of a second person still holds once it is replaced or lifted.
	ruleLasts = "interval '1 day'"
	// secondWaits is how long a withdrawal waits for a second person: then it is cancelled.
	secondWaits = "interval '7 days'"
)

// SecondRule is a worth of a merchant's withdrawals: above it a second person confirms them.
type SecondRule struct {
	Above  decimal.Decimal
	Fiat   string
	EndsAt *time.Time // the rule was replaced or lifted, and holds until then
}

// SecondRules lists the rules of a merchant that hold now, the one that stays first. A withdrawal above one of them waits.
func (s *Store) SecondRules(ctx context.Context, merchant uuid.UUID) ([]SecondRule, error) {
	var out []SecondRule
	err := s.Q.NewRaw(`select above, fiat, ended_at + `+ruleLasts+` as ends_at from panel_second_rules
		where merchant_id = ? and (ended_at is null or ended_at + `+ruleLasts+` > now()) order by ended_at desc nulls first, id`, merchant).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read when a second person confirms: %w", err)
	}
	return out, nil
}

// SetSecondRule sets the worth above which a second person confirms a merchant's withdrawals, from now on; nil lifts it. The rule before it
// holds for a day more, beside the new one. The caller has locked the merchant's row.
func (s *Store) SetSecondRule(ctx context.Context, merchant uuid.UUID, rule *SecondRule) error {
	_, err := s.Q.NewRaw("update panel_second_rules set ended_at = now() where merchant_id = ? and ended_at is null", merchant).Exec(ctx)
	if err == nil && rule != nil {
		_, err = s.Q.NewRaw("insert into panel_second_rules (id, merchant_id, above, fiat) values (?, ?, ?, ?)",
			uuid.Must(uuid.NewV7()), merchant, rule.Above, rule.Fiat).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("set when a second person confirms: %w", err)
	}
	return nil
}

// AskSecond notes that withdrawals of a form wait for a second person. The payouts are recorded after it: none is there, and could be
// signed, before its note.
func (s *Store) AskSecond(ctx context.Context, form uuid.UUID, email, why string, payouts []*pay.Payout) error {
	ids, seals := make([]uuid.UUID, len(payouts)), make([][]byte, len(payouts))
	for i, p := range payouts {
		ids[i], seals[i] = p.ID, p.Seal
	}
	_, err := pg.Exec(ctx, s.Q, "ask for a second person", `insert into panel_seconds (payout_id, merchant_id, form, made_by, why, seal)
		select w.id, $1, $2, $3, $4, w.seal from unnest($5::uuid[], $6::bytea[]) as w(id, seal)`, payouts[0].MerchantID, form, email, why, ids, seals)
	return err
}

// SecondAsked returns why withdrawals of a form wait for a second person, or waited; empty when none did.
func (s *Store) SecondAsked(ctx context.Context, merchant, form uuid.UUID) (why string, err error) {
	err = s.Q.NewRaw("select coalesce(max(s.why), '') from panel_seconds s join payouts p on p.id = s.payout_id where s.merchant_id = ? and s.form = ?",
		merchant, form).Scan(ctx, &why)
	if err != nil {
		return "", fmt.Errorf("read whether a form waits: %w", err)
	}
	return why, nil
}

// SecondPayout is a withdrawal that a second person confirms or has confirmed.
type SecondPayout struct {
	pay.Payout  `bun:",extend"`
	Form        uuid.UUID
	MadeBy      string // the e-mail address of the first person
	Why         string
	AskedAt     time.Time
	EndsAt      time.Time // when it is cancelled, unless it is confirmed
	Waits       bool      // it can still be confirmed
	ConfirmedBy *string   // the e-mail address of the second person
	ConfirmedAt *time.Time
}

const (
	secondWaiting = "s.confirmed_at is null and p.status = 'queued' and not p.cancelling and s.asked_at + " + secondWaits + " > now()"
	secondPayouts = "select " + wholePayout + ", s.form, s.made_by, s.why, s.asked_at, s.asked_at + " + secondWaits + ` as ends_at,
		` + secondWaiting + ` as waits, s.confirmed_by, s.confirmed_at from panel_seconds s join payouts p on p.id = s.payout_id where s.merchant_id = ?`
)

// WaitingSeconds lists the withdrawals of a merchant that wait for a second person, the oldest first.
func (s *Store) WaitingSeconds(ctx context.Context, merchant uuid.UUID) ([]SecondPayout, error) {
	return s.seconds(ctx, secondPayouts+" and "+secondWaiting+" order by s.asked_at, s.form, p.id", merchant)
}

// SecondsOfForm lists the withdrawals of a merchant's form that wait for a second person, or waited.
func (s *Store) SecondsOfForm(ctx context.Context, merchant, form uuid.UUID) ([]SecondPayout, error) {
	return s.seconds(ctx, secondPayouts+" and s.form = ? order by p.id", merchant, form)
}

// SecondOf returns what a second person has to do with a payout of a merchant; nil for nothing.
func (s *Store) SecondOf(ctx context.Context, merchant, payout uuid.UUID) (*SecondPayout, error) {
	found, err := s.seconds(ctx, secondPayouts+" and s.payout_id = ?", merchant, payout)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func (s *Store) seconds(ctx context.Context, statement string, args ...any) (out []SecondPayout, err error) {
	if err := s.Q.NewRaw(statement, args...).Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("read what waits for a second person: %w", err)
	}
	return out, nil
}

// ConfirmSeconds confirms the withdrawals of a form that wait, and returns their ids. A person confirms none of their own, and none of
// somebody who has none of the roles for the merchant any more.
func (s *Store) ConfirmSeconds(ctx context.Context, merchant, form uuid.UUID, email string, roles []string) (done []uuid.UUID, err error) {
	err = pg.Rows(ctx, s.Q, "confirm withdrawals", func(rows *sql.Rows) error {
		var id uuid.UUID
		err := rows.Scan(&id)
		done = append(done, id)
		return err
	}, `update panel_seconds s set confirmed_by = $3, confirmed_at = now() from payouts p
		where p.id = s.payout_id and s.merchant_id = $1 and s.form = $2 and `+secondWaiting+` and p.seal = s.seal and s.made_by <> $3
			and (select count(*) from members m join people e on e.id = m.person_id
				where m.merchant_id = $1 and e.email in (s.made_by, $3) and m.role = any($4::text[])) = 2
		returning s.payout_id`, merchant, form, email, roles)
	return done, err
}

// Unconfirmed returns those of payouts that wait for a second person of their merchant, and whether each has waited too long.
func (s *Store) Unconfirmed(ctx context.Context, payouts []uuid.UUID) (map[uuid.UUID]bool, error) {
	out := map[uuid.UUID]bool{}
	err := pg.Rows(ctx, s.Q, "read what waits for a second person", func(rows *sql.Rows) error {
		var id uuid.UUID
		var ended bool
		err := rows.Scan(&id, &ended)
		out[id] = ended
		return err
	}, "select u.id, s.asked_at + "+secondWaits+" <= now() from payouts_unconfirmed($1) as u(id) join panel_seconds s on s.payout_id = u.id", payouts)
	return out, err
}
