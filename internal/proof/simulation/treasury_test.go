package simulation

import (
	"context"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/treasury"
)

// treasurySQL has our own addresses beside those of payins, the payments of ours that are not moves of the treasury, and the signed moves
// whose money a reorganisation has taken away. Moves keep the simulation's time. The world notes each move to the cold address that leaves
// too little for what was signed before, while the network has kept all that came to the hot wallet.
//
// The sandbox mines later numbers of a wallet although an earlier one was dropped, which no real network does. So a final move to the cold
// address can lose its money too, and later ones need not leave it any.
const treasurySQL = `
alter table treasury_moves alter created_at set default sim.now(), alter updated_at set default sim.now();
create table sim.own (network text, address text, cold boolean);
create view sim.payments as select x.* from sandbox_transactions x
  where x.nonce is not null and x.amount > 0 and x.recipient_match <> x.sender_match
  and not exists (select from sim.own o where o.cold and o.network = x.network and o.address = x.sender_match)
  and not exists (select from signed_transactions s where s.network = x.network and s.txid = x.txid and s.purpose not in ('pay', 'cancel'))
  -- nor is a copy of a move, which spends the same coins under an id that no follower has seen yet
  and not exists (select from sandbox_transactions c join signed_transactions s on s.network = c.network and s.purpose not in ('pay', 'cancel') and s.place = 0
    where c.network = x.network and c.txid = x.txid and c.coins is not null and to_jsonb(c.coins) = convert_from(s.raw, 'UTF8')::jsonb->'coins');
create view sim.stranded as select m.* from treasury_moves m join sandbox_networks n using (network)
  where (m.kind = 'sweep' or m.kind = 'cold' and m.status = 'done') and exists (select from signed_transactions s where s.payout_id = m.id and s.open
    and (coalesce((select h.amount from sandbox_holdings h where h.network = m.network and h.address = m.from_address and h.token = m.token), 0) < m.amount
      or coalesce((select h.amount from sandbox_holdings h where h.network = m.network and h.address = m.from_address and h.token = n.coin), 0) < s.fee))
  and not exists (select from signed_transactions s join sandbox_transactions x on x.network = s.network and x.txid = s.txid
    where s.payout_id = m.id and x.state in ('pending', 'mined'));
create table sim.cold_takes_too_much (why text);
create function sim.note_cold() returns trigger language plpgsql as $$
begin
  insert into sim.cold_takes_too_much
  select format('%s of %s on %s, and %s are signed', h.amount, m.token, m.network, p.amount)
  from treasury_moves m join sandbox_networks n using (network) join sandbox_holdings h on h.network = m.network and h.address = m.from_address and h.token = m.token,
    lateral (select sum(case when t.purpose in ('cancel', 'void') then 0
        else coalesce((select o.amount from treasury_moves o where o.id = t.payout_id and o.token = m.token),
          (select o.amount from payouts o where o.id = t.payout_id and o.token = m.token), 0) end + case when m.token = n.coin then t.fee else 0 end) as amount
      from signed_transactions t where t.network = m.network and t.address = m.from_address and t.open
      and not exists (select from sandbox_transactions x where x.network = t.network and x.txid = t.txid and x.state in ('pending', 'mined'))
      and not exists (select from sandbox_transactions y where t.network <> 'Tron' and y.network = t.network and y.sender_match = t.address and y.nonce > t.nonce and y.state = 'mined')) p
  where m.id = new.payout_id and p.amount > h.amount
  and not exists (select from signed_transactions o where o.payout_id = new.payout_id and o.txid <> new.txid) -- a replacement takes what its slot has taken
  and not exists (select from sandbox_transactions x where x.network = m.network and x.recipient_match = m.from_address and x.state = 'dropped');
  return null;
end $$;
create trigger note_cold after insert on signed_transactions for each row when (new.purpose = 'cold' and new.network <> 'Bitcoin') execute function sim.note_cold()`

// movesAlways are the rules of moves for every moment.
var movesAlways = []rule{
	{"a move goes from one address of ours to another, as it was planned", `
		select format('%s %s %s from %s to %s', m.kind, x.amount, x.token, x.sender, x.recipient)
		from signed_transactions s join treasury_moves m on m.id = s.payout_id join sandbox_transactions x on x.network = s.network and x.txid = s.txid
		where case when s.purpose = 'void' then x.amount > 0 and x.network <> 'Bitcoin' or x.recipient_match <> x.sender_match
			when s.purpose = 'consolidate' then x.place > 0 or x.recipient_match <> x.sender_match or x.amount + x.fee > m.amount
			when x.place > 0 then x.network <> 'Bitcoin' or x.recipient_match <> x.sender_match
			else (x.sender_match, x.recipient_match, x.token) <> (m.from_address, m.to_address, m.token)
				or x.amount <> m.amount - case when m.kind = 'sweep' and m.token = (select coin from sandbox_networks where network = m.network) then x.fee else 0 end
				or not exists (select from sim.own o where o.network = m.network and o.address = case when m.kind = 'sweep' then m.to_address else m.from_address end and not o.cold)
				or not case when m.kind = 'cold' then exists (select from sim.own o where o.network = m.network and o.address = m.to_address and o.cold)
					else exists (select from addresses a where a.match = case when m.kind = 'sweep' then m.from_address else m.to_address end) end end`},
	{"a move is on its network once at most", `
		select format('%s times %s', count(*), m.kind) from signed_transactions s join treasury_moves m on m.id = s.payout_id
		join sandbox_transactions x on x.network = s.network and x.txid = s.txid where x.state in ('pending', 'mined') and x.place = 0
		group by m.id, m.kind having count(*) > 1`},
	{"what moves between our own addresses is no transfer", `
		select format('%s %s is %s', t.amount, t.token, t.status) from transfers t where exists (
			select from signed_transactions s where s.network = t.network and s.txid = t.txid and s.purpose not in ('pay', 'cancel'))
		or exists (select from sim.own o where o.network = t.network and o.address = t.sender)`},
	{"a deposit address gets two top-ups a day at most", `
		select format('%s top-ups', n.count) from treasury_moves a, lateral (select count(*) from treasury_moves b
			where b.kind = 'topup' and b.network = a.network and b.index = a.index and b.status <> 'cancelled' and b.created_at >= a.created_at
			and b.created_at < a.created_at + interval '24 hours') n where a.kind = 'topup' and a.status <> 'cancelled' and n.count > 2`},
	{"an open move has a job, a top-up it waits for, or a transaction that the follower watches", `
		select format('%s %s: %s', kind, status, reason) from treasury_moves m where status in ('planned', 'signed', 'sent')
		and not exists (select from jobs j where j.kind = 'treasury.move' and j.ref = m.id)
		and not exists (select from treasury_moves t where t.kind = 'topup' and t.network = m.network and t.to_address = m.from_address and t.status in ('planned', 'signed', 'sent'))
		and not exists (select from signed_transactions t where t.payout_id = m.id and t.state in ('sent', 'mined'))`},
	{"a move to the cold address leaves what is signed before it", `select why from sim.cold_takes_too_much`},
}

// movesAtRest are those for the time when nothing is open.
var movesAtRest = []rule{
	{"a move that is done is in a block, and no other", `
		select format('%s %s', kind, status) from treasury_moves m where not exists (select from sim.stranded s where s.id = m.id) and (status = 'done') <> exists (
			select from signed_transactions s join sandbox_transactions x on x.network = s.network and x.txid = s.txid
			where s.payout_id = m.id and s.purpose <> 'void' and x.state = 'mined')`},
	{"a move costs what its transaction does", `
		select format('%s %s: %s, not %s', m.kind, m.status, m.cost, c.fee) from treasury_moves m, lateral (
			select sum(x.fee) as fee from signed_transactions s join sandbox_transactions x on x.network = s.network and x.txid = s.txid
			where s.payout_id = m.id and x.state = 'mined') c where m.cost is distinct from c.fee and not exists (select from sim.stranded s where s.id = m.id)`},
}

// openMovesSQL finds moves without an end, beside those of lost money: their bytes wait for it.
const openMovesSQL = `
	union all select 'move ' || kind || ' ' || status || coalesce(': ' || coalesce((select last_error from jobs where ref = m.id), reason), '')
		from treasury_moves m where status in ('planned', 'signed', 'sent') and not exists (select from sim.stranded s where s.id = m.id)`

// ruledNetworks are those of the simulation whose deposits the treasury moves.
var ruledNetworks = []string{"BinanceSmartChain", "Ethereum", "Tron", "Ripple"}

// setRules draws the rules of the treasury.
func (w *world) setRules() {
	if !w.ruled {
		return
	}
	for _, name := range ruledNetworks {
		for _, token := range tokens[name] {
			if w.chance(20) {
				continue
			}
			r := &store.TreasuryRule{Network: name, Token: token, SweepMin: decimal.New(pick(w, []int64{1, 50, 200}), -1),
				MaxFeePercent: decimal.NewFromInt(pick(w, []int64{2, 50})), HotFloor: decimal.NewFromInt(100), HotTarget: decimal.NewFromInt(300)}
			if w.chance(50) {
				r.HotCeiling = new(decimal.NewFromInt(1000))
			}
			w.must(w.store.SetTreasuryRule(w.t.Context(), r))
			w.trace("%s %s from %s on are swept, with a ceiling: %t", token, name, r.SweepMin, r.HotCeiling != nil)
		}
	}
}

// setCoinRule draws the rule of Bitcoin. Some of its coins go to the cold address.
func (w *world) setCoinRule() {
	if !w.ruled {
		return
	}
	n, _ := w.registry.Network("Bitcoin")
	var held decimal.Decimal
	w.must(w.db.NewRaw("select sum(amount) from sandbox_holdings where network = 'Bitcoin' and address = ?", n.Hot).Scan(w.t.Context(), &held))
	target := held.Sub(decimal.NewFromInt(pick(w, []int64{20, 200})))
	w.must(w.store.SetTreasuryRule(w.t.Context(), &store.TreasuryRule{Network: "Bitcoin", Token: "BTC", SweepMin: decimal.NewFromInt(1),
		MaxFeePercent: decimal.NewFromInt(50), HotTarget: target, HotCeiling: &target}))
	w.trace("above %s BTC go to the cold address", target)
}

// manage looks after the treasury: first amounts at cold addresses are confirmed. Then the hot wallet is refilled, an address is swept by
// hand, or a planned move is cancelled.
func (w *world) manage() {
	if !w.ruled {
		return
	}
	w.confirm()
	name := pick(w, ruledNetworks)
	token := pick(w, tokens[name])
	switch w.random.IntN(4) {
	case 0:
		w.refill(name, token, w.amount(300, 2))
	case 1, 2:
		w.sweep(name, token)
	case 3:
		w.cancelMove(pick(w, []string{name, "Bitcoin"}))
	}
}

// confirm confirms the cold addresses with a first amount.
func (w *world) confirm() {
	res, err := w.db.NewRaw(`update cold_addresses c set confirmed_at = now(), confirmed_by = 'the operator' where confirmed_at is null
		and exists (select from treasury_moves m where m.network = c.network and m.to_address = c.address and m.status = 'done')`).Exec(context.Background())
	w.must(err)
	if n, _ := res.RowsAffected(); n > 0 {
		w.trace("the operator has seen the first amount at %d cold addresses", n)
	}
}

// refill sends an amount from the cold address to the hot wallet, if the cold address holds it.
func (w *world) refill(network, token string, amount decimal.Decimal) {
	n, _ := w.registry.Network(network)
	for _, of := range []string{token, n.Coin} {
		var held decimal.Decimal
		w.must(w.db.NewRaw("select coalesce(sum(amount), 0) from sandbox_holdings where network = ? and address = ? and token = ?", network, n.Cold, of).
			Scan(context.Background(), &held))
		if held.LessThan(amount.Add(decimal.NewFromInt(1))) && of == token || !held.IsPositive() {
			return
		}
	}
	_, err := w.chain.Refill(context.Background(), network, token, amount)
	w.must(err)
	w.trace("the operator refills %s %s", amount, token)
}

// sweep plans a sweep of an address of ours by hand.
func (w *world) sweep(network, token string) {
	there := slices.DeleteFunc(slices.Concat(w.wallets, w.payins), func(p place) bool { return !slices.Contains(w.family(p.network), network) })
	if len(there) == 0 {
		return
	}
	n, _ := w.registry.Network(network)
	asked := treasury.Asked{Address: n.Addresser.Match(pick(w, there).address), Token: token, AlthoughFee: w.chance(50), By: "the operator"}
	left, doom := w.fate()
	w.spawn("the operator with a sweep", left, doom, func(ctx context.Context) error {
		return w.begin(ctx, n, asked)
	})
}

// begin begins what is asked of the treasury.
func (w *world) begin(ctx context.Context, n *chains.Network, asked treasury.Asked) error {
	worker := w.newWorkers().Treasury
	planned, err := worker.Plan(ctx, n, asked)
	for i := 0; i < len(planned) && err == nil; i++ {
		m := &planned[i].Move
		if planned[i].Left != "" {
			continue
		}
		if err = worker.Begin(ctx, m); errors.Is(err, store.ErrMoveOpen) {
			err = nil
		}
		w.trace("the operator begins a %s of %s %s", m.Kind, m.Amount, m.Token)
	}
	return err
}

// cancelMove cancels the oldest planned move of a network.
func (w *world) cancelMove(network string) {
	open, err := w.store.OpenMoves(context.Background(), network)
	w.must(err)
	i := slices.IndexFunc(open, func(m *pay.TreasuryMove) bool { return m.Status == pay.MovePlanned })
	if i < 0 {
		return
	}
	operator := &admin.Admin{Store: w.store, Actor: "the operator"}
	_, err = operator.CancelMove(context.Background(), open[i].ID)
	w.must(err)
	w.trace("the operator cancels a %s", open[i].Kind)
}

// supply refills what open payouts lack, once everything has come to rest, and what is lacking of a move from the hot wallet that a
// reorganisation has undone: another one may have taken its money.
func (w *world) supply() {
	if !w.ruled {
		return
	}
	w.confirm()
	var lacks []struct {
		Network, Token string
		Amount         decimal.Decimal
	}
	w.must(w.db.NewRaw(`select p.network, p.token, sum(p.amount) - max(h.amount) as amount from (
			select network, token, amount from payouts where wire_status = 'pending' and network in ('Ethereum', 'BinanceSmartChain', 'Tron', 'Ripple')
			union all select m.network, m.token, m.amount from treasury_moves m join signed_transactions s on s.payout_id = m.id
				join sandbox_transactions x on x.network = s.network and x.txid = s.txid where m.kind <> 'sweep' and s.state = 'sent' and x.state = 'dropped') p
		join sim.own o on o.network = p.network and not o.cold join sandbox_holdings h on h.network = p.network and h.address = o.address and h.token = p.token
		group by p.network, p.token having sum(p.amount) + 1 > max(h.amount) order by 1, 2`).Scan(context.Background(), &lacks))
	for _, l := range lacks {
		w.refill(l.Network, l.Token, l.Amount.Add(decimal.NewFromInt(5)))
	}
}
