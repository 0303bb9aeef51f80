package workers_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// cosigned is a network whose transactions are signed by another address, too.
type cosigned struct {
	chains.Scanner
	by    string
	first bool
}

func (s cosigned) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	blocks, err := s.Scanner.Blocks(ctx, from, limit)
	for i := range blocks {
		var sent []chains.Sending
		for _, each := range blocks[i].Sent {
			sent = append(sent, each, chains.Sending{Txid: each.Txid, From: s.by})
			if s.first {
				slices.Reverse(sent[len(sent)-2:])
			}
		}
		blocks[i].Sent = sent
	}
	return blocks, err
}

// A transaction of the hot wallet that a deposit address of ours has signed as well, in either order, stops the wallet if the books do not
// know it. A thief with the seed could sign such a one.
func TestATransactionOfTwoSignersStopsTheWallet(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]bool{"the deposit address pays": true, "the hot wallet pays": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Tron")
			p := w.onTron("TRX", "200")
			w.looked()
			w.mine("Tron", 5)
			require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
			w.fund("Tron", "USDT", "100")
			n, _ := w.registry.Network("Tron")
			n.Scanner = cosigned{n.Scanner, n.Addresser.Match(p.Wallet), first}
			w.foreignOnTron(tronPayee, "9")
			w.mine("Tron", 5)
			require.Equal(t, 1, w.count("select count(*) from foreign_spends"))
		})
	}
}

// Where blocks are not read whole, a sweep is found by the hot wallet that it names. After another seed its time may be over, and nobody
// knows what became of it.
func TestASweepToAFormerWalletDoesNotDie(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.unsentSweep()
	m := w.moves("Tron")[0]
	n, _ := w.registry.Network("Tron")
	former := *n
	t.Cleanup(func() { *n = former })
	n.AskFor = func(func(context.Context) ([]string, error)) {}
	n.Hot, n.Scanner, n.Watcher = n.Addresser.Match("TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"), ofAnotherWallet{n.Scanner}, over{}
	w.minesQuietly("Tron", 30)
	require.NotContains(t, w.signedForMove(&m), pay.TxExpired, "dead, though nobody has looked for it")
}
