package main

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestAPayinMayBePendingAtTheEnd only when it is of a fixed wallet and its only seen payment has vanished.
func TestAPayinMayBePendingAtTheEnd(t *testing.T) {
	t.Parallel()
	wallet, one := uuid.New(), decimal.NewFromInt(1)
	for name, c := range map[string]struct {
		status, transfer string
		wallet           *uuid.UUID
		mined, wrong     bool
	}{
		"vanished on its way to a fixed wallet": {status: "pending", transfer: "dropped", wallet: &wallet},
		"vanished, and asked for by a merchant": {status: "pending", transfer: "dropped", wrong: true},
		"still seen":                            {status: "pending", transfer: "seen", wallet: &wallet, wrong: true},
		"in a block, and not credited":          {status: "pending", transfer: "dropped", wallet: &wallet, mined: true, wrong: true},
		"credited":                              {status: "completed", transfer: "final", wallet: &wallet, mined: true},
		"failed though paid":                    {status: "failed", transfer: "final", wallet: &wallet, mined: true, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, received := uuid.New(), decimal.Zero
			if c.status == "completed" || c.status == "failed" {
				received = one
			}
			e := &evidence{t: &torture{coins: []coin{{network: "Tron", token: "USDT", precision: 6}}},
				report: &report{counted: map[string]int{}, position: map[string]int{}},
				payins: []payinRow{{ID: id, Status: c.status, WalletID: c.wallet, Amount: one, Received: received,
					MinimumPayment: decimal.NewFromInt(100)}},
				transfers: []transferRow{{Network: "Tron", Txid: "paid-1", Token: "USDT", Status: c.transfer, PayinID: &id, Amount: one}}}
			if c.mined {
				e.paid = []chainRow{{Network: "Tron", Txid: "paid-1", Token: "USDT", State: "mined", Amount: one}}
			}
			e.judgeStatuses()
			require.Equal(t, c.wrong, len(e.report.Wrong) > 0, "%v", e.report.Wrong)
		})
	}
}
