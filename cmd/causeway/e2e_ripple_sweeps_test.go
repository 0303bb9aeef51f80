package main

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// sweeps moves what lies at the shared address to the hot wallet, down to its reserve. The books equal the chain afterwards, and no balance of a
// merchant has changed.
func (e *fakeRipple) sweeps() {
	t, before := e.t, e.balances().Total
	shared, err := e.reads.Derive(t.Context(), 0)
	require.NoError(t, err)
	lies := e.held(shared)
	e.command("run", "reconcile") // the treasury plans by what a look has found
	var moves []admin.TreasuryMove
	e.closeUntil("the shared address is swept", func() bool {
		if len(moves) < 2 {
			e.command("admin", "treasury", "sweep", "Ripple", "--all")
		}
		moves = nil
		require.NoError(t, json.Unmarshal([]byte(e.command("admin", "treasury", "moves", "list", "--network", "Ripple")), &moves))
		return len(moves) == 2 && moves[0].Kind == pay.MoveSweep && moves[0].Status == pay.MoveDone
	})
	kept, err := e.reads.Keeps(t.Context())
	require.NoError(t, err)
	require.Equal(t, kept.String(), e.held(shared))
	require.Equal(t, before, e.balances().Total, "sweeps move no balance of a merchant")
	t.Logf("of %s XRP at the shared address %s were swept for %s XRP, and the reserve of %s stays", lies, moves[0].Moved, moves[0].Cost, kept)
}

// prepares has the signer make the shared address want destination tags. A payment without one comes to nothing then.
func (e *fakeRipple) prepares() {
	t := e.t
	shared, err := e.reads.Derive(t.Context(), 0)
	require.NoError(t, err)
	e.command("admin", "network", "prepare", "Ripple")
	e.closeUntil("the shared address is prepared", func() bool {
		lacks, err := e.reads.Unprepared(t.Context())
		return err == nil && lacks == ""
	})
	before := e.held(shared)
	_, err = e.node.Fund(shared, nil, 5_000_000)
	require.NoError(t, err)
	e.node.Close(1)
	require.Equal(t, before, e.held(shared))
	t.Logf("%s wants destination tags, and a payment without one is refused", shared)
}
