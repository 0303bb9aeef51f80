package main

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/store"
)

// swept are the tokens with rules of the treasury, by their networks.
var swept = map[string][]string{"Ethereum": {"USDC", "ETH"}, "Polygon": {"USDT"}, "Tron": {"USDT"}}

// planEvery is the mean time between plans of the treasury.
const planEvery = 2 * time.Second

// rule sets rules by which every deposit is swept, and nearly all of one hot wallet goes to the cold address.
func (t *torture) rule(ctx context.Context) error {
	s := store.New(t.db)
	for network, tokens := range swept {
		for _, token := range tokens {
			if _, used := t.coin(network, token); !used {
				continue
			}
			r := &store.TreasuryRule{Network: network, Token: token, SweepMin: decimal.New(1, -3), MaxFeePercent: decimal.NewFromInt(100)}
			if token == "USDC" {
				r.HotTarget, r.HotCeiling = decimal.New(1, 9), new(decimal.New(2, 9))
			}
			if err := s.SetTreasuryRule(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// endRules leaves the treasury without rules: after hours the verdict takes minutes, and no new move may begin between its looks.
func (t *torture) endRules(ctx context.Context) {
	t.insist(ctx, func(ctx context.Context) error {
		_, err := t.db.NewRaw("delete from treasury_rules").Exec(ctx)
		return err
	})
}

// lookAfter confirms first amounts at cold addresses, and has the planner look now and then.
func (t *torture) lookAfter(ctx context.Context) {
	c := t.chance("treasury")
	for wait(ctx, c.around(planEvery)) {
		_ = t.planNow(ctx) // the database may be away
	}
}

// planNow confirms first amounts, and has the planner look at once.
func (t *torture) planNow(ctx context.Context) error {
	_, err := t.db.NewRaw(`update cold_addresses c set confirmed_at = now(), confirmed_by = 'torture' where confirmed_at is null
		and exists (select from treasury_moves m where m.network = c.network and m.to_address = c.address and m.status = 'done')`).Exec(ctx)
	if err == nil {
		_, err = t.db.NewRaw("update jobs set run_at = least(run_at, now()) where kind = 'treasury.plan'").Exec(ctx)
	}
	return err
}

// stranded are moves whose money a reorganisation has taken away: their bytes wait for it.
const stranded = `select m.id from treasury_moves m join sandbox_networks n using (network)
	where exists (select from signed_transactions s where s.payout_id = m.id and s.open
		and (coalesce((select h.amount from sandbox_holdings h where h.network = m.network and h.address = m.from_address and h.token = m.token), 0) < m.amount
			or coalesce((select h.amount from sandbox_holdings h where h.network = m.network and h.address = m.from_address and h.token = n.coin), 0) < s.fee))
	and not exists (select from signed_transactions s join sandbox_transactions x on x.network = s.network and x.txid = s.txid
		where s.payout_id = m.id and x.state in ('pending', 'mined'))`

// judgeMoves looks for moves that were made twice or have gone elsewhere, for credits of our own money, and for moves without an end.
func (e *evidence) judgeMoves(ctx context.Context) {
	for check, query := range map[string]string{
		checkMovedTwice: `select m.kind || ' ' || m.id from signed_transactions s join treasury_moves m on m.id = s.payout_id
			join sandbox_transactions x on x.network = s.network and x.txid = s.txid where x.state in ('pending', 'mined') group by m.id, m.kind having count(*) > 1`,
		checkMovedElse: `select m.kind || ' ' || m.id from signed_transactions s join treasury_moves m on m.id = s.payout_id
			join sandbox_transactions x on x.network = s.network and x.txid = s.txid where s.purpose <> 'void' and
			((x.sender_match, x.recipient_match, x.token) <> (m.from_address, m.to_address, m.token) or m.kind = 'cold' and m.to_address not in (select address from cold_addresses))`,
		checkMoveCredited: `select t.status || ' ' || t.txid from transfers t join signed_transactions s on s.network = t.network and s.txid = t.txid
			where s.purpose not in ('pay', 'cancel')`,
		checkMoveCost: `select m.kind || ' ' || m.id from treasury_moves m, lateral (select sum(x.fee) as fee from signed_transactions s
			join sandbox_transactions x on x.network = s.network and x.txid = s.txid where s.payout_id = m.id and x.state = 'mined') c
			where m.cost is distinct from c.fee and m.id not in (` + stranded + `)`,
	} {
		var found []string
		if err := e.t.db.NewRaw(query).Scan(ctx, &found); err != nil {
			e.wrong("the evidence can be read", err.Error())
		}
		for _, f := range found {
			e.wrong(check, f)
		}
	}
	var rows []struct {
		Kind, Status string
		Count        int
	}
	if err := e.t.db.NewRaw("select kind, status, count(*) from treasury_moves group by 1, 2 order by 1, 2").Scan(ctx, &rows); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	for _, r := range rows {
		e.report.count(fmt.Sprintf("moves: %s %s", r.Kind, r.Status), r.Count)
	}
}
