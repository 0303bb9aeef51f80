package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
)

// minedUnseen adds blocks to a network that one step follows.
func (w *world) minedUnseen(network string, blocks int) {
	w.t.Helper()
	_, err := w.chain.Mine(context.Background(), network, blocks)
	require.NoError(w.t, err)
	w.work()
}

// lines are the merchant's statement, as "types movement amount balance", the types on the first of an entry.
func (w *world) lines() (lines []string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw(`select concat_ws(' ', movement, types, trim_scale(amount), trim_scale(balance_after)) from postings
		where movement is not null order by id`).Scan(w.t.Context(), &lines))
	return lines
}

// A transfer that is seen, credited and final in one step has the statement, the webhooks and the balance of one that was credited and
// final in steps of their own. It takes one entry, and its row is written once.
//
// Covers addendum §8: A transfer is *detected*
// Covers api-v1 §Payment updates: Finality is told
func TestFinalInTheStepThatSeesIt(t *testing.T) {
	t.Parallel()
	want := []string{"DEPOSIT DEPOSIT RATE FEE 10.123456 10.123456", "RATE 0.101234 10.022222", "FEE 0.5 9.522222",
		"DEPOSIT DEPOSIT RATE FEE 15 24.522222", "RATE 0.15 24.372222", "FEE 0.5 23.872222"}
	for name, c := range map[string]struct {
		follow    func(*world)
		finalised int
	}{
		"step by step": {func(w *world) { w.mine("Tron", 4) }, 2},
		"at once":      {func(w *world) { w.minedUnseen("Tron", 4) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			p := w.payin("Tron", "USDT", "25", func(p *pay.Payin) { p.PercentRate, p.NetworkFee, p.PaysNetworkFee = dec("1"), dec("0.5"), true })
			w.pays("Tron", "USDT", p.Wallet, "10.123456")
			w.pays("Tron", "USDT", p.Wallet, "15")
			c.follow(w)
			w.equal("23.872222", w.balance("USDT").Available)
			w.equal("0", w.balance("USDT").Locked)
			require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
			require.Equal(t, want, w.lines())
			require.Equal(t, 2, w.count("select count(*) from entries where kind = 'payin_credited'"))
			require.Equal(t, c.finalised, w.count("select count(*) from entries where kind = 'payin_finalised'"))
			require.Equal(t, 2-c.finalised, w.count("select count(*) from transfers where status = 'final' and credits = 1 and updated_at = seen_at"))
			told := w.receiver.at("")
			require.Equal(t, []string{"payment_detected", "payment_confirmed"}, []string{told[0].Event, told[1].Event})
			require.Len(t, told, 2+min(c.finalised, 1), "finality is told by itself unless the credit has said it")
			last := told[len(told)-1].Data
			require.Equal(t, "final", last["finality_status"])
			require.Equal(t, "25.123456", last["received_amount"])
		})
	}
}

// A transfer that is credited when it is final has one entry, too.
func TestFinalInTheStepThatCreditsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25", func(p *pay.Payin) { p.PercentRate = dec("1") })
	w.pays("Tron", "USDT", p.Wallet, "25")
	w.mine("Tron", 1)
	require.Equal(t, []string{"payment_detected:pending"}, w.receiver.got())
	w.minedUnseen("Tron", 3)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())
	w.equal("24.75", w.balance("USDT").Available)
	require.Equal(t, []string{"payin_credited"}, w.creditsBooked())
}

// A reorganisation against the rule takes a credit that was final at once from what is available. The transfer is credited anew when it is
// mined again, in steps or at once.
//
// Covers addendum §8: A reorganisation
func TestFinalAtOnceIsUndoneAndRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "3")
	txid := w.pays("Litecoin", "LTC", p.Wallet, "3")
	w.minedUnseen("Litecoin", 6)
	w.equal("3", w.balance("LTC").Available)
	_, err := w.chain.Reorg(t.Context(), "Litecoin", 8, txid)
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayinReversed, w.payinNow(p.ID).Status)
	w.equal("0", w.balance("LTC").Total())

	_, err = w.chain.Pay(t.Context(), sandbox.Payment{Network: "Litecoin", Token: "LTC", To: p.Wallet, Amount: dec("3"), Txid: txid})
	require.NoError(t, err)
	w.mine("Litecoin", 2)
	w.equal("3", w.balance("LTC").Locked)
	w.mine("Litecoin", 2)
	w.equal("3", w.balance("LTC").Available)
	_, err = w.chain.Reorg(t.Context(), "Litecoin", 6)
	require.NoError(t, err)
	w.work()
	w.equal("3", w.balance("LTC").Available)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, []string{"payin_credited", "payin_reversed", "payin_credited", "payin_finalised", "payin_reversed", "payin_credited"},
		w.creditsBooked())
}

// Terms of the merchant hold for what is credited at once: late money, and webhooks that are switched off.
//
// Covers addendum §8: Beyond that, what comes late
func TestTermsOfWhatIsCreditedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	late, inTime := w.quoted("25 hours"), w.quoted("23 hours")
	w.prices("0.2499")
	for _, p := range []*pay.Payin{late, inTime} {
		w.pays("Tron", "TRX", p.Wallet, "40")
		w.minedUnseen("Tron", 4)
		want := map[*pay.Payin]string{late: "payment_updated failed 40 9.99600000", inTime: "payment_confirmed success 40 9.99600000"}
		require.Equal(t, want[p], w.late())
	}
	told := len(w.receiver.got())
	w.exec("update merchants set mute_updates = true where id = ?", w.merchant)
	w.pays("Tron", "TRX", inTime.Wallet, "1")
	w.minedUnseen("Tron", 4)
	w.equal("41", w.payinNow(inTime.ID).Received)
	require.Len(t, w.receiver.got(), told)
}

// What is no payin's is booked at once as well.
func TestNobodysTransfersAreFinalAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "USDT", "25")
	w.exec("update tokens set active = false where symbol = 'USDC' and network = 'Ethereum'")
	w.pays("Ethereum", "USDC", p.Wallet, "7")
	funds := w.pays("Ethereum", "USDT", n.Hot, "5")
	w.minedUnseen("Ethereum", 4)
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'unclaimed' and reason = 'the token is not accepted'"))
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'treasury' and txid = ?", funds))
	require.Equal(t, 2, w.count(`select count(*) from entries e join transfers t on t.id = e.subject
		where (t.status, e.kind) in (('unclaimed', 'unclaimed_held'), ('treasury', 'treasury_funded')) and e.turn = 1 and (t.txid = ? or t.address = ?)`, funds, n.Addresser.Match(p.Wallet)))
	require.Empty(t, w.receiver.got())
	require.Equal(t, 0, w.count("select count(*) from transfers where updated_at > seen_at"))
}

// creditsBooked are the kinds of payins' entries, in their order.
func (w *world) creditsBooked() (kinds []string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select e.kind from entries e where e.kind::text like 'payin%' order by e.id").Scan(w.t.Context(), &kinds))
	return kinds
}
