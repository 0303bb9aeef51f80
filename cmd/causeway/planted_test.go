package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/cli/command"
	"causeway/internal/dev/testkit"
)

// planted is a fault behind the back of the running service, on an asset of its own, and how an operator mends it.
type planted struct{ fault, network, asset, plant, mend string }

var plantedFaults = []planted{
	{"edited balance", "Tron", "TRX",
		"update balances set available = available + 1000 where asset = 'TRX'",
		"update balances set available = available - 1000 where asset = 'TRX'"},
	{"deleted posting", "BinanceSmartChain", "BNB",
		`create table copy as select * from postings where id = (select min(id) from postings where asset = 'BNB' and movement = 'DEPOSIT');
			delete from postings where id = (select id from copy)`,
		"insert into postings select * from copy"},
	{"phantom credit", "Solana", "SOL",
		`select post(array['0190163d-8694-739b-aea5-966c26f8ad91']::uuid[], array['payin_credited']::entry_kind[], array[0],
			array[substr(sha256(convert_to('outside:Solana>merchant:' || m.id || ':available SOL 500 DEPOSIT' || E'\n', 'UTF8')), 1, 15)],
			array[1], array[1], array['outside:Solana'], array['merchant:' || m.id || ':available'], array['SOL'], array[500], array['DEPOSIT'],
			array[m.id], array['Solana'], array['DEPOSIT']) from merchants m`,
		`delete from postings where id / 16 in (select id from entries where subject::text like '0190163d%');
			delete from entries where subject::text like '0190163d%';
			update balances set available = available - 500 where asset = 'SOL'`},
	{"missing job", "Polygon", "POL", "delete from jobs where kind = 'payout.broadcast'", "select 1"},
}

// TestPlantedFaultsAreFoundByTheRunningService: each is found within a minute without anybody asking, payouts of its asset
// stop, metrics and overview show it, payouts of other assets go on; once it is mended the operator lets them go on.
//
// Covers operator §Roles: causeway reconcile
// Covers operator §Admin: asset stop keeps
func TestPlantedFaultsAreFoundByTheRunningService(t *testing.T) {
	t.Parallel()
	e := newDeployment(t)
	e.funded("Tron", "USDT", "100")
	for _, f := range plantedFaults {
		e.funded(f.network, f.asset, "100")
	}
	var ignored any
	e.Do(&ignored, "admin", "asset", "stop", "POL", "--reason", "so that a payout of it stays open")
	open := e.payout("Polygon", "POL", "10", addresses.Encode("Polygon", [32]byte{1}))
	e.eventually("the payout waits", "select exists (select from jobs where last_error like 'payouts of POL are stopped%')")

	for _, f := range plantedFaults {
		e.plant(f.plant)
	}
	began := time.Now()
	e.Do(&ignored, "admin", "asset", "resume", "POL")
	e.eventually("all are found", "select count(distinct asset) = 4 from stopped_assets where asset in ('TRX', 'BNB', 'SOL', 'POL')")
	took := time.Since(began)
	t.Logf("found within %v", took.Round(100*time.Millisecond))
	require.Less(t, took, time.Minute)

	waiting := []string{open}
	e.login()
	metrics, overview := e.page("/metrics"), e.page("/console/")
	for _, f := range plantedFaults {
		require.Contains(t, metrics, `causeway_asset_stopped{asset="`+f.asset+`",network="`, f.fault)
		require.Contains(t, metrics, `causeway_ledger_drift{asset="`+f.asset+`"`, f.fault)
		require.Contains(t, overview, "Payouts of "+f.asset, f.fault)
		waiting = append(waiting, e.payout(f.network, f.asset, "5", addresses.Encode(f.network, [32]byte{2})))
	}
	e.eventually("payouts of them wait", "select count(distinct ref) = 5 from jobs where last_error like 'payouts of%are stopped%'")
	e.paidOut(e.payout("Tron", "USDT", "5", addresses.Encode("Tron", [32]byte{3})))
	e.Refused(command.ExitFailed, "UTC, found 1 difference of TRX", "admin", "asset", "resume", "TRX")

	for _, f := range plantedFaults {
		e.plant(f.mend)
	}
	code, out, stderr := call(t, "reconcile", "--recount", "--data-dir", e.Dir)
	require.Equal(t, command.ExitFailed, code)
	require.Contains(t, stderr, "0 differences, 4 stopped assets", out)
	testkit.Eventually(t, time.Minute, func() bool {
		e.Do(&ignored, "run", "reconcile")
		var found string
		must(t, e.DB.NewRaw("select differences from reconcile_reports order by id desc limit 1").Scan(t.Context(), &found))
		return found == "[]"
	}, "nothing differs any more")
	for _, f := range plantedFaults {
		e.Do(&ignored, "admin", "asset", "resume", f.asset)
	}
	for _, name := range waiting {
		e.paidOut(name)
	}
	require.Equal(t, 4, strings.Count(strings.Join(e.Audited(), " "), "asset.resume")-1)
}

// plant changes rows behind the triggers' back.
func (e *deployment) plant(sql string) {
	e.Helper()
	tx, err := e.DB.BeginTx(e.Context(), nil)
	must(e.T, err)
	defer func() { _ = tx.Rollback() }()
	for _, s := range []string{"set local session_replication_role = replica", sql, "select pg_stat_force_next_flush()"} {
		_, err := tx.ExecContext(e.Context(), s)
		must(e.T, err)
	}
	must(e.T, tx.Commit())
}
