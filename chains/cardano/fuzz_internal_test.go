package cardano

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains/cardano/client"
)

// FuzzTransaction: whatever bytes are read as a transaction of ours, its body is written as it was read.
func FuzzTransaction(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	if err != nil {
		f.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		f.Fatal(err)
	}
	for _, v := range all[:20] {
		raw, err := hex.DecodeString(v.Raw)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := parse(raw)
		if err != nil {
			return
		}
		if _, id := got.write(); id != got.id || len(got.Inputs) == 0 || len(got.Outputs) == 0 {
			t.Fatalf("%x is one of ours", raw)
		}
	})
}

// FuzzBlockTold: no answer panics, and no block has a transfer of nothing, or of more than there is.
func FuzzBlockTold(f *testing.F) {
	id := "f8084c61b6a238acec985b59310b6ecec49c0ab8352249afd7268da5cff2a457"
	for _, text := range []string{
		`{"id":"` + id + `","ancestor":"` + id + `","height":8,"slot":9,"transactions":[{"id":"` + id + `","spends":"inputs","inputs":[{"transaction":{"id":"` + id +
			`"},"index":1}],"outputs":[{"address":"addr1vx9jrppy446d7fwntsh23cy55nzutt4jew6yysvnx9tfxychfqm3y","value":{"ada":{"lovelace":5}}}],"fee":{"ada":{"lovelace":1}}}]}`,
		`{"id":"` + id + `","height":8,"slot":9,"transactions":[{"id":"` + id + `","spends":"collaterals","collateralReturn":{"address":"x","value":{"ada":{"lovelace":-5}}}}]}`,
		`{"height":8}`, `null`,
	} {
		f.Add([]byte(text))
	}
	most := amountOf(client.Supply)
	f.Fuzz(func(t *testing.T, text []byte) {
		var told client.Block
		if json.Unmarshal(text, &told) != nil {
			return
		}
		b, err := new(history).parse(&told, 8, client.Point{Slot: 7, ID: id})
		if err != nil {
			return
		}
		for _, moved := range b.block.Transfers {
			if moved.Amount.LessThanOrEqual(decimal.Zero) || moved.Amount.GreaterThan(most) {
				t.Fatalf("%s moves %+v", text, moved)
			}
		}
	})
}
