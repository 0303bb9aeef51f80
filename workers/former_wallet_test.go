package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/ledger"
)

// unusedWallet is a node knowing nothing of a hot wallet that has never sent anything.
type unusedWallet struct{ chains.Counter }

func (unusedWallet) NextNonce(context.Context, string) (uint64, error) { return 0, nil }

// seeded gives a network another hot wallet, until the test ends: the holdings of the first one are in the books.
func (w *world) seeded(network, hot string) *chains.Network {
	n, _ := w.registry.Network(network)
	former := *n
	w.t.Cleanup(func() { *n = former })
	n.Hot, n.Counter = hot, unusedWallet{n.Counter}
	return n
}

// A nonce of another wallet takes nothing from the wallet a payout was signed by: both would be mined. A transaction signed by the
// hot wallet of a former seed is only sent again.
func TestAPayoutOfAFormerHotWalletIsNotSignedByAnother(t *testing.T) {
	t.Parallel()
	for _, why := range []string{"stuck", "cancelled", "rejected"} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			if why == "rejected" {
				w.faults("Ethereum", "broadcast", "timeout")
			}
			w.round()
			n := w.seeded("Ethereum", elsewhere)
			switch why {
			case "stuck":
				n.BumpAfter = time.Minute
				w.exec("update signed_transactions set sent_at = now() - interval '2 minutes'")
			case "cancelled":
				_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(t.Context(), p.ID.String())
				require.NoError(t, err)
			case "rejected":
				n.Sender = rejecting{n.Sender}
			}
			w.work()
			require.Contains(t, w.troubled(p), "the hot wallet is "+elsewhere+" now")
			signed, err := w.store.SignedOf(t.Context(), p.ID)
			require.NoError(t, err)
			require.Len(t, signed, 1)
			if why == "rejected" {
				w.faults("Ethereum", "broadcast", "")
				n.Sender = n.Sender.(rejecting).Sender
				w.work()
			}
			w.mine("Ethereum", 5)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			w.equal("50", w.paidTo("Ethereum", destination))
			require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
		})
	}
}

// rejecting is a node rejecting all bytes for good, for every node.
type rejecting struct{ chains.Sender }

func (rejecting) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.Rejected, "the signature does not fit"
}

// Transactions signed by two wallets for one payout may both be mined, and become final in one step. The payout ends once, as paid,
// and the network is followed further.
func TestAPayoutOfTwoWalletsIsEndedOnce(t *testing.T) {
	t.Parallel()
	for purpose, moved := range map[string]string{pay.PurposePay: "50", pay.PurposeCancel: "0"} {
		t.Run(purpose, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.round()
			draft, err := n.Sender.Prepare(t.Context(), usdtTo(destination, "50"))
			if purpose == pay.PurposeCancel {
				draft, err = n.Sender.Prepare(t.Context(), chains.Spend{})
			}
			require.NoError(t, err)
			other, err := draft.Sign(chains.Slot{Number: 1})
			require.NoError(t, err)
			w.exec(`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state, sent_at)
				values ('Ethereum', ?, ?, ?, 'A former wallet', 0, ?, ?, 'sent', now())`, other.Txid, p.ID, purpose, other.Raw, other.Fee)
			outcome, reason := n.Sender.Broadcast(t.Context(), other.Raw)
			require.Equal(t, chains.Accepted, outcome, reason)
			w.mine("Ethereum", 6)
			require.Empty(t, w.followerError("Ethereum"))
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
			w.equal("48.5", w.balance("USDT").Total())
			require.Zero(t, w.count("select count(*) from signed_transactions where state <> 'final'"))
			_, err = ledger.Post(t.Context(), w.db, ledger.TreasuryCorrected("Ethereum", "USDT", "paid twice", dec(moved).Neg()))
			require.NoError(t, err)
		})
	}
}

// A stop is of the wallet, and not of its network: the hot wallet of a new seed signs though the one of the former seed is stopped,
// and an operator forgets the former one's stop.
//
// Covers operator §Admin: wallet forget takes
func TestAStopIsOfOneWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', 'A former wallet', 1, 2)")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)

	reports, err := w.by("ops").Reports(t.Context())
	require.NoError(t, err)
	require.Contains(t, reports[0].HowToGoOn, "causeway admin wallet forget Ethereum A former wallet")
	n, _ := w.registry.Network("Ethereum")
	forget := func(address string) error {
		_, err := w.by("ops").ForgetWallet(t.Context(), "Ethereum", address)
		return err
	}
	require.ErrorContains(t, forget(n.HotAddress()), "is the hot wallet of Ethereum: wallet resume ends its stop")
	require.NoError(t, forget("A former wallet"))
	require.ErrorContains(t, forget("A former wallet"), "is not stopped, or forgotten already")
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.forget' and before->>'address' = 'A former wallet'"))
	reports, err = w.by("ops").Reports(t.Context())
	require.NoError(t, err)
	require.Empty(t, reports)

	w.exec("insert into signing_nonces (network, address, next) values ('Ethereum', 'A former wallet', 1)")
	w.seeded("Ethereum", "A former wallet") // its seed is put back
	waits := w.payout("Ethereum", "USDT", "5", destination)
	w.aged()
	w.work()
	w.unsigned(waits)
	require.Contains(t, w.troubled(waits), "the hot wallet is stopped")
	stopped, err := w.store.StoppedWallets(t.Context())
	require.NoError(t, err)
	require.Len(t, stopped, 1)
}

// A spend of the hot wallet explains no payout signed by the wallet of a former seed, whatever the network has lost of it: it may
// still be mined.
func TestASpendExplainsNoPayoutOfAFormerHotWallet(t *testing.T) {
	t.Parallel()
	for name, explains := range map[string]bool{"signed by it": true, "signed by another": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			p, _ := w.lost(false)
			n, _ := w.registry.Network("Ethereum")
			spend := w.foreign("50", destination, w.firstSigned(p))
			if !explains {
				n = w.seeded("Ethereum", elsewhere)
			}
			w.exec(`insert into unknown_spends (network, txid, token, position, recipient, memo, amount, height) values ('Ethereum', ?, 'USDT', 0, ?, '', 50, 1)`,
				spend, n.Addresser.Match(destination))
			w.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', ?, 1, 2)", n.Hot)
			reports, err := w.by("ops").Reports(t.Context())
			require.NoError(t, err)
			require.Len(t, reports, 1)
			require.Len(t, reports[0].Unknown, 1)
			require.Equal(t, explains, reports[0].Unknown[0].PayoutID != nil && *reports[0].Unknown[0].PayoutID == p.ID)
		})
	}
}
