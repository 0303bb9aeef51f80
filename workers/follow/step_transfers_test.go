package follow

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// TestStepTransfersAreAsTheirRows: a step that reads no transfers of its own tells the same of them as their rows do. Payins with more
// transfers than those of the step are read.
func TestStepTransfersAreAsTheirRows(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	payins := make([]uuid.UUID, 6)
	for i := range payins {
		payins[i] = uuid.Must(uuid.NewV7())
	}
	_, err := s.DB.NewRaw(`with m as (insert into merchants (id, name, webhook_secret) values (gen_random_uuid(), 'Shop', 's') returning id)
		insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate,
			pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at)
		select p, m.id, p::text, 'a', 'USDT', 'USDT', 'Tron', 'crypto_amount', 3, 'USD', 0, false, 0, 100, '', 'pending', now()
		from m, unnest(?::uuid[]) p`, pg.Array(payins)).Exec(t.Context())
	require.NoError(t, err)

	alone, two, older, elsewhere, credited, many := payins[0], payins[1], payins[2], payins[3], payins[4], payins[5]
	before := []pay.Transfer{newTransfer(older, "Tron"), newTransfer(elsewhere, "Tron"), newTransfer(credited, "Tron")}
	before[1].Status = pay.TransferDropped
	require.NoError(t, s.SaveTransfers(t.Context(), before))
	require.NoError(t, s.InTx(t.Context(), func(tx *store.Store) error {
		fresh := []pay.Transfer{newTransfer(alone, "Tron"), newTransfer(two, "Tron"), newTransfer(two, "Tron"), newTransfer(older, "Tron"),
			newTransfer(elsewhere, "Ethereum")}
		for range pay.MostShown {
			fresh = append(fresh, newTransfer(many, "Tron"))
		}
		require.NoError(t, tx.SaveTransfers(t.Context(), fresh))
		due, err := tx.TransfersByTxid(t.Context(), "Tron", []string{before[2].Txid, fresh[0].Txid})
		require.NoError(t, err)
		var c credits
		for i := range due {
			due[i].Status, due[i].Credits, due[i].Credited, due[i].Counted = pay.TransferCredited, 1, decimal.NewFromInt(3), decimal.NewFromInt(3)
			c.note(&c.credited, &due[i])
		}
		require.NoError(t, tx.CreditTransfers(t.Context(), due))
		var seen []*pay.Transfer
		for i := range fresh {
			seen = append(seen, &fresh[i])
		}
		got, err := c.held(seen).of(t.Context(), tx, payins)
		require.NoError(t, err)
		want, err := tx.TransfersOf(t.Context(), payins...)
		require.NoError(t, err)
		for i, id := range payins {
			require.Equal(t, inWords(want[id]), inWords(got[id]), "payin %d", i)
		}
		for _, id := range []uuid.UUID{older, elsewhere} {
			require.Len(t, got[id].Shown, 2, "one is not the step's")
		}
		require.Equal(t, pay.TransferCredited, got[alone].Shown[0].Status, "seen and credited by one step")
		return nil
	}))
}

func newTransfer(payin uuid.UUID, network string) pay.Transfer {
	id := uuid.Must(uuid.NewV7())
	height := int64(7)
	return pay.Transfer{ID: id, Network: network, Txid: id.String(), Token: "USDT", Address: "a", Amount: decimal.RequireFromString("3.10"),
		PayinID: &payin, Status: pay.TransferSeen, Height: &height, MinedAt: new(time.Unix(1_700_000_000, 0).UTC())}
}

// inWords is all that notices tell of transfers.
func inWords(of *pay.PayinTransfers) (out []string) {
	for _, t := range of.Shown {
		out = append(out, fmt.Sprint(t.ID, t.Txid, t.Status, t.Credits, t.Amount, t.Credited, t.Counted, t.Worth, t.Weight, *t.Height,
			t.MinedAt.UTC(), t.SeenAt.UTC(), *t.PayinID))
	}
	return append(out, fmt.Sprint(of.Rest))
}
