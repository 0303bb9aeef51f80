package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/utxo"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
)

const someTxs = 20

// replayed is a fake node of a network with some blocks, and the network's connector on it.
func replayed(t *testing.T, network, token string, blocks int) (*following, *chains.Network) {
	t.Helper()
	f := &following{followed: likeOf(network, token), addresses: 10, txs: someTxs}
	f.catalogue = []pay.Token{{Network: network, Symbol: token, Decimals: 8}}
	chain, err := f.replay(f)
	if err != nil {
		t.Fatal(err)
	}
	f.node = serveReplay(chain)
	t.Cleanup(f.node.close)
	f.quiet = true
	f.growBy(1) // nobody pays us
	f.quiet = false
	f.growBy(blocks)
	file := filepath.Join(t.TempDir(), "networks.yaml")
	if err := os.WriteFile(file, []byte(chain.settings(f.node.url)), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := (&settings.Settings{NetworksFile: file, Drivers: []chains.Driver{utxo.Driver}}).ReadNetworks()
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	opened, err := read.Live[0].Open(t.Context(), chains.Opening{Tokens: []chains.Token{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return f, opened
}

// TestConnectorsReadReplayedCoins: what the bench replays of each coin is read by the coin's own connector, every payment to us with it.
func TestConnectorsReadReplayedCoins(t *testing.T) {
	t.Parallel()
	for network, token := range map[string]string{"Bitcoin": "BTC", "Litecoin": "LTC", "Dogecoin": "DOGE", "BitcoinCash": "BCH", "BitcoinSV": "BSV", "BitcoinGold": "BTG"} {
		f, n := replayed(t, network, token, 2)
		f.node.show()
		head, err := n.Scanner.Head(t.Context(), bitcoinFirst)
		if err != nil || head.Height != bitcoinFirst+3 {
			t.Errorf("%s: %+v, %v", network, head, err)
		}
		blocks, err := n.Scanner.Blocks(t.Context(), bitcoinFirst+2, 10)
		if err != nil || len(blocks) != 2 {
			t.Errorf("%s: %d blocks, %v", network, len(blocks), err)
			continue
		}
		for i, b := range blocks {
			ours := map[string]bool{}
			for j := range oursPerBlock {
				ours[f.awaited((i*oursPerBlock+j)*f.addresses/fewAddresses%f.addresses).address] = true
			}
			txs, paid := map[string]bool{}, 0
			for _, transfer := range b.Transfers {
				txs[transfer.Txid] = true
				if ours[transfer.To] && transfer.Amount.Equal(decimal.RequireFromString(f.amount)) {
					paid++
				}
			}
			if paid != oursPerBlock || len(txs) != someTxs || len(b.Spent) < 2*(someTxs-2) {
				t.Errorf("%s: block %d has %d payments to us, %d transactions that pay, %d coins spent", network, b.Height, paid, len(txs), len(b.Spent))
			}
		}
	}
}

// TestOnePaymentOfLitecoinLeavesTheExtensionBlock: it is an output of the last transaction, which spends that of the block before.
func TestOnePaymentOfLitecoinLeavesTheExtensionBlock(t *testing.T) {
	t.Parallel()
	f, n := replayed(t, "Litecoin", "LTC", 2)
	f.node.show()
	blocks, err := n.Scanner.Blocks(t.Context(), bitcoinFirst+2, 2)
	if err != nil {
		t.Fatal(err)
	}
	first, second := blocks[0], blocks[1]
	var moved string
	for _, transfer := range first.Transfers {
		if transfer.Amount.Equal(decimal.NewFromInt(1000)) {
			moved = transfer.Txid
		}
	}
	paid := 0
	for _, transfer := range first.Transfers {
		if transfer.Txid == moved && transfer.Position == 1 && transfer.Amount.Equal(decimal.RequireFromString(f.amount)) {
			paid++
		}
	}
	if moved == "" || paid != 1 || second.Spent[len(second.Spent)-1].Coin != chains.CoinID(moved, 0) {
		t.Errorf("the last transaction is %q with %d payments, and the next block ends by spending %+v", moved, paid, second.Spent[len(second.Spent)-1])
	}
}

// TestTheFakeRefuses: a node of the bench has no block that it does not show, and says that it is a fake.
func TestTheFakeRefuses(t *testing.T) {
	t.Parallel()
	f, _ := replayed(t, "BitcoinGold", "BTG", 1)
	hidden := f.node.chain.(*bitcoinReplay).hashAt(bitcoinFirst + 2)
	for question, want := range map[string]string{
		`"getblockhash","params":[900002]`:                               "Block height out of range",
		`"getblock","params":["` + hidden + `",0]`:                       "Block not found",
		`"getblockheader","params":["` + hidden + `"]`:                   "Block not found",
		`"getrawtransaction","params":["` + hidden + `",0]`:              "No such mempool or blockchain transaction",
		`"sendrawtransaction","params":["00"]`:                           "this is a fake node of a benchmark: sendrawtransaction is not prepared",
		`"getblock","params":["` + bitcoinOld(900_000).String() + `",2]`: "this is a fake node of a benchmark",
	} {
		if got := ask(t, f.node.url, `{"id":1,"method":`+question+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// ask returns the message of a refusal.
func ask(t *testing.T, url, question string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", bytes.NewBufferString(question))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Error struct{ Message string } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Error.Message
}
