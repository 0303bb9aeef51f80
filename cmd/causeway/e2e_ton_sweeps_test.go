package main

import (
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// sweeps moves what lies on the shared wallet to the hot wallet, the jetton first. The books are the network's after every block, also while
// something is on its way, and no balance of a merchant changes.
func (e *shimTON) sweeps() {
	t, before := e.t, e.balances().Total
	for count, token := range []string{"USDT", "TON"} {
		e.command("run", "reconcile") // the treasury plans by what a look has found
		e.mineUntil(token+" is planned", func() bool {
			e.command("admin", "treasury", "sweep", "TON", "--all", "--although-fee")
			return len(e.moves()) > count
		})
		e.mineUntil(token+" is swept", func() bool {
			e.reconciled()
			return !slices.ContainsFunc(e.moves(), func(m admin.TreasuryMove) bool { return m.Status.Open() })
		})
		last := e.moves()[0]
		require.Equal(t, pay.MoveDone, last.Status, last.Reason)
		t.Logf("%s %s of the shared wallet were swept; their way has cost %s TON, of which some comes back", last.Moved, last.Token, last.Cost)
	}
	require.Equal(t, before, e.balances().Total, "sweeps move no balance of a merchant")
}

// moves are those of the treasury, the newest first.
func (e *shimTON) moves() (all []admin.TreasuryMove) {
	require.NoError(e.t, json.Unmarshal([]byte(e.command("admin", "treasury", "moves", "list", "--network", "TON")), &all))
	return all
}
