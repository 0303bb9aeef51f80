package simulation

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// clockSQL gives the database a clock, standing still until it is moved: every now() in a statement or function means
// it. It starts at noon, so no run crosses midnight by accident. Defaults of columns keep the real time, used only for
// ordering rows. Beside it, the world notes the payins paid in time, and payouts signed first while their account owed
// and nobody had approved them; treasurySQL has what it notes of moves.
const clockSQL = `create schema sim;
create table sim.clock (at timestamptz not null);
insert into sim.clock values (date_trunc('day', pg_catalog.now(), 'UTC') + interval '12 hours');
create table sim.paid_in_time (payin_id uuid, network text, txid text, primary key (payin_id, network, txid));
create function sim.now() returns timestamptz language sql stable as 'select at from sim.clock';
create table sim.signed_for_debtors (payout_id uuid primary key);
create function sim.note_debtor() returns trigger language plpgsql as $$
begin
  insert into sim.signed_for_debtors select p.id from payouts p join debts d using (merchant_id, asset)
    where p.id = new.payout_id and d.owed > 0 and not exists (select from signed_transactions t where t.payout_id = p.id and t.txid <> new.txid)
    and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved' and a.seal = p.seal);
  return null;
end $$;
create trigger note_debtor after insert on signed_transactions for each row execute function sim.note_debtor();
` + treasurySQL

// clock is the database's time.
type clock struct{ db *bun.DB }

// pass lets time go by.
func (c clock) pass(d time.Duration) error {
	_, err := c.db.NewRaw("update sim.clock set at = at + ? * interval '1 microsecond'", d.Microseconds()).Exec(context.Background())
	return err
}

func (c clock) now() (at time.Time, err error) {
	err = c.db.NewRaw("select at from sim.clock").Scan(context.Background(), &at)
	return at, err
}
