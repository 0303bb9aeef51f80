package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator moves a deposit into the hot wallet: the books knew it already, at every depth, and when the network reorganises.
// Transfers from anybody else are the treasury's.
func TestWhatIsCollectedIsBookedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "1000")
	w.pays("Ethereum", "USDT", p.Wallet, "1000")
	w.mine("Ethereum", 4)
	n, _ := w.registry.Network("Ethereum")
	txid := w.pays("Ethereum", "USDT", n.Hot, "1000")
	w.exec("update sandbox_transactions set sender = ?, sender_match = ? where txid = ?", p.Wallet, n.Addresser.Match(p.Wallet), txid)
	w.exec("update sandbox_holdings set amount = amount - 1000 where network = 'Ethereum' and token = 'USDT' and address = ?",
		n.Addresser.Match(p.Wallet))
	for range 4 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	require.Zero(t, w.count("select count(*) from transfers where txid = ?", txid))
	w.equal("1000", w.balance("USDT").Available)

	gift := w.pays("Ethereum", "USDT", n.Hot, "5")
	w.mine("Ethereum", 4)
	require.Equal(t, 1, w.count("select count(*) from transfers where txid = ? and status = 'treasury'", gift))
}
