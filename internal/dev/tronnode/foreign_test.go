package tronnode

import (
	"crypto/sha256"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

func TestForeignTransactionsAreShown(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	stranger := KeyOf("stranger")
	asset := must(t)(n.ShowAsset(stranger.Text(), 9_000_000))
	a := send(t, n, n.draft(sender).signed(sender))
	n.Mine(1)
	b := top(t, n)
	if len(b.Transactions) != 2 || b.Transactions[0].TxID != a.TxID || b.Transactions[1].TxID != asset || len(b.Transactions[1].Signature) != 2 {
		t.Fatalf("%+v", b)
	}
	var leaves [][32]byte
	for _, tx := range b.Transactions {
		m := message(nil).always(1, unhex(tx.RawHex))
		for _, s := range tx.Signature {
			m = m.always(2, unhex(s))
		}
		leaves = append(leaves, sha256.Sum256(m.always(5, message(nil).number(3, resultSuccess))))
	}
	if got := hex32(root(leaves)); got != b.Header.Raw.Root {
		t.Errorf("root %s of %+v", got, b)
	}
	var shown struct {
		Raw struct {
			Contract []struct {
				Type       string
				Permission int64 `json:"Permission_id"`
				Parameter  struct {
					Value struct {
						Name   string `json:"asset_name"`
						Amount int64
					}
				}
			}
		} `json:"raw_data"`
	}
	ask(t, n, "wallet/gettransactionbyid", object{"value": asset}, &shown)
	c := shown.Raw.Contract[0]
	if c.Type != "TransferAssetContract" || c.Permission != 2 || c.Parameter.Value.Name != hexText(assetName) || c.Parameter.Value.Amount != 9_000_000 {
		t.Errorf("%+v", shown)
	}
	if err := n.Reorganise(1, false); err != nil {
		t.Fatal(err)
	}
	if again := top(t, n); balance(t, n, "wallet", stranger.Text()) != trx || len(again.Transactions) > 1 {
		t.Errorf("after a fork: %+v", again)
	}
}

// TestPoisoning transfers nothing out of another's address, as thieves do to be seen in the list of its transfers.
func TestPoisoning(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	thief := KeyOf("thief")
	must(t)(n.Fund(thief.Text(), 100*trx))
	n.Mine(1)
	i := settle(t, n, must(t)(n.Call(thief, USDT, "transferFrom", sender.Address(), thief.Address(), new(big.Int))))
	if i.Receipt.Result != "SUCCESS" || len(i.Log) != 1 || common.HexToHash(i.Log[0].Data) != (common.Hash{}) {
		t.Errorf("%+v", i)
	}
	if i := settle(t, n, must(t)(n.Call(thief, USDT, "transferFrom", sender.Address(), thief.Address(), big.NewInt(1)))); i.Receipt.Result != "REVERT" {
		t.Errorf("another's money: %+v", i)
	}
}

func TestBlocksComeLater(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	before := n.Clock()
	n.Hold(true)
	send(t, n, n.draft(sender).signed(sender))
	n.Later(2 * time.Minute)
	if got := n.Clock().Sub(before); got != 2*time.Minute || n.Waiting() != 0 {
		t.Errorf("the next block came after %v, and %d wait", got, n.Waiting())
	}
}
