package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// sizes are the bytes of tables and indexes by their names, without those of the simulated networks.
type sizes map[string]float64

// measureBytes measures how much each finished payout leaves in the tables and their indexes, as it goes on: everything
// ends and is vacuumed, as autovacuum does: this gives nothing back to the disk but lets space be used again. Then as
// many payouts more are finished, and everything is vacuumed once more. The second half shares the growth of the tables
// in between.
func (c *cycle) measureBytes(to *receivers) error {
	before, err := c.vacuumed()
	if err != nil {
		return err
	}
	first := c.created.Load()
	err = c.during(to, func() error {
		for c.created.Load() < 2*first {
			if _, err := c.watch(time.Second / 4); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	after, err := c.vacuumed()
	if err != nil {
		return err
	}
	payouts, sum := float64(c.created.Load()-first), 0.0
	for _, name := range slices.SortedFunc(maps.Keys(after), func(x, y string) int { return cmp.Compare(after[y]-before[y], after[x]-before[x]) }) {
		grown := (after[name] - before[name]) / payouts
		sum += grown
		if grown >= 5 {
			c.say("%s: %.0f bytes a payout; %.0f in all", name, grown, after[name])
		}
	}
	c.table.add(row{what: "table bytes per finished payout, with indexes", measured: sum, unit: "bytes", bar: 4096, ceiling: true})
	return c.sayMoves()
}

// vacuumed waits until nothing is open, vacuums, and returns the sizes of everything.
func (c *cycle) vacuumed() (sizes, error) {
	err := c.await(cycleDrain, "every payout to be completed and told", func() (open bool, err error) {
		err = c.db.NewRaw(`select exists (select from payouts where wire_status = 'pending')
			or exists (select from deliveries where status = 'pending')`).Scan(c.ctx, &open) // by indexes: work goes on meanwhile
		return !open, err
	})
	if err != nil {
		return nil, err
	}
	var failed int
	err = c.db.NewRaw(`select (select count(*) from payouts where status <> 'completed')
		+ (select count(*) from deliveries where status <> 'delivered')`).Scan(c.ctx, &failed)
	if err != nil || failed > 0 {
		return nil, errors.Join(err, fmt.Errorf("%d payouts and deliveries failed", failed))
	}
	for range 2 { // pages of indexes emptied by one vacuum may be used again after the next
		if _, err := c.db.ExecContext(c.ctx, "vacuum"); err != nil {
			return nil, err
		}
	}
	var rows []struct {
		Name  string
		Bytes int64
	}
	err = c.db.NewRaw(`
		select coalesce(t.relname || ': ', '') || r.relname as name,
			case r.relkind when 'i' then pg_relation_size(r.oid) else pg_total_relation_size(r.oid) - pg_indexes_size(r.oid) end as bytes
		from pg_class r left join pg_index i on i.indexrelid = r.oid left join pg_class t on t.oid = i.indrelid
		where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'i') and coalesce(t.relname, r.relname) not like 'sandbox%'`).Scan(c.ctx, &rows)
	out := make(sizes, len(rows))
	for _, r := range rows {
		out[r.Name] = float64(r.Bytes)
	}
	return out, err
}

// sayMoves says how many updates stayed on their page and wrote no index (HOT), of the tables with many.
func (c *cycle) sayMoves() error {
	var rows []struct {
		Name    string
		Hot, Of int64
	}
	err := c.db.NewRaw(`select relname as name, n_tup_hot_upd as hot, n_tup_upd as "of" from pg_stat_user_tables
		where n_tup_upd > ? and relname not like 'sandbox%' order by 1`, c.created.Load()/2).Scan(c.ctx, &rows)
	for _, r := range rows {
		c.say("%s: %d of %d updates wrote no index", r.Name, r.Hot, r.Of)
	}
	return err
}
