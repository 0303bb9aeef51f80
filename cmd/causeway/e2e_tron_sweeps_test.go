package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tronnode"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// sweeps moves all deposits to the hot wallet, and shows what that costs. The books equal the chain while moves are open, too.
func (e *fakeTron) sweeps() {
	t := e.t
	before := e.balances().Total
	e.beginSweeps(2)
	e.mineUntil("all is swept", func() bool { return e.openMoves() == 0 })
	for _, m := range e.moves() {
		require.Equal(t, pay.MoveDone, m.Status, m.Reason)
		t.Logf("a %s of %s %s has cost %s TRX", m.Kind, m.Moved, m.Token, m.Cost)
	}
	require.Equal(t, before, e.balances().Total, "sweeps move no balance of a merchant")
}

// beginSweeps begins so many sweeps, once reconciliation has seen what lies at deposit addresses.
func (e *fakeTron) beginSweeps(many int) {
	e.command("run", "reconcile")
	e.mineUntil("all is planned", func() bool {
		e.command("admin", "treasury", "sweep", "Tron", "--all", "--although-fee")
		return len(e.moves()) >= many
	})
}

// moves are those of the treasury, the newest first.
func (e *fakeTron) moves() (all []admin.TreasuryMove) {
	require.NoError(e.t, json.Unmarshal([]byte(e.command("admin", "treasury", "moves", "list")), &all))
	return all
}

func (e *fakeTron) openMoves() (open int) {
	for _, m := range e.moves() {
		if m.Status.Open() {
			open++
		}
	}
	return open
}

// TestTronSweepsAgainAfterTheTimeIsOver: a sweep that no block takes dies, and is signed again. All of it arrives once.
func TestTronSweepsAgainAfterTheTimeIsOver(t *testing.T) {
	t.Parallel()
	e := newFakeTron(t)
	e.payin("USDT", "60", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 60_000_000) })
	hot := e.held(e.reads.Hot())
	e.beginSweeps(1)
	sweep := func() admin.TreasuryMove {
		all := e.moves()
		return all[len(all)-1]
	}
	e.mineUntil("the address is topped up", func() bool { all := e.moves(); return len(all) == 2 && all[0].Status == pay.MoveDone })
	e.node.Hold(true)
	id := sweep().ID.String()
	testkit.Eventually(t, time.Minute, func() bool { return len(e.signedFor(id)) > 0 }, "the sweep is signed")
	e.mineUntil("another one is signed", func() bool { return len(e.signedFor(id)) > 1 })
	e.node.Hold(false)
	e.mineUntil("the sweep is done", func() bool { return sweep().Status == pay.MoveDone })
	require.Equal(t, "60", sweep().Moved.String())
	require.Len(t, e.signedFor(id), 2)
	require.Equal(t, "1000", hot)
	require.Equal(t, "1060", e.held(e.reads.Hot()))
	books := e.command("reconcile")
	require.Contains(t, books, `"differences": []`)
	t.Log("the ledger equals itself and the chain: " + books)
}
