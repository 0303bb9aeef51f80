package tron

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/chains/tron/client"
)

// recordedBlocks are blocks of real nodes: those of the fake's own tests, and one of testdata/recorded.
func recordedBlocks(t testing.TB) []client.Block {
	t.Helper()
	var of struct{ Blocks []client.Block }
	read(t, filepath.Join("..", "..", "internal", "dev", "tronnode", "testdata", "recorded", "blocks.json"), &of)
	var more client.Block
	read(t, filepath.Join("testdata", "recorded", "block-private-165.json"), &more)
	return append(of.Blocks, more)
}

// nile is a block of the test network Nile with three transactions.
func nile(t *testing.T) *client.Block { return &recordedBlocks(t)[0] }

func read(t testing.TB, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// TestBlocksOfRealNodes: the id and the root of blocks of real nodes are as computed here.
func TestBlocksOfRealNodes(t *testing.T) {
	t.Parallel()
	all := recordedBlocks(t)
	if len(all) < 4 {
		t.Fatalf("%d blocks", len(all))
	}
	for n := range all {
		told := &all[n]
		b, err := new(Connector).parseBlock(told, told.Header.Header.Raw.Number)
		if err != nil {
			t.Errorf("block %d: %v", n, err)
			continue
		}
		for i := range b.txs {
			if tx := b.txs[i]; !tx.known || tx.id.String() != told.Transactions[i].ID || tx.succeeded != (told.Transactions[i].Ret[0].ContractRet == "SUCCESS") {
				t.Errorf("block %d: transaction %d is %+v", n, i, tx)
			}
		}
	}
}

// TestABlockIsWhole: a block with a transaction too few, too many, changed or out of order is none. The list is complete: a missing
// transaction proves a death.
//
// Covers operator §Settings: The list of transactions
func TestABlockIsWhole(t *testing.T) {
	t.Parallel()
	all := recordedBlocks(t)
	other := all[len(all)-1].Transactions[0]
	for name, change := range map[string]func(*client.Block){
		"one is missing":        func(b *client.Block) { b.Transactions = b.Transactions[:2] },
		"all are missing":       func(b *client.Block) { b.Transactions = nil },
		"one is added":          func(b *client.Block) { b.Transactions = append(b.Transactions, other) },
		"one is there twice":    func(b *client.Block) { b.Transactions = append(b.Transactions, b.Transactions[2]) },
		"two change places":     func(b *client.Block) { slices.Reverse(b.Transactions[:2]) },
		"a result is another":   func(b *client.Block) { b.Transactions[2].Ret[0].ContractRet = "REVERT" },
		"a result is unknown":   func(b *client.Block) { b.Transactions[2].Ret[0].ContractRet = "PERHAPS" },
		"a signature is gone":   func(b *client.Block) { b.Transactions[0].Signature = nil },
		"an id is another":      func(b *client.Block) { b.Transactions[0].ID = other.ID },
		"the bytes are others":  func(b *client.Block) { b.Transactions[0].RawData = other.RawData },
		"the time is another":   func(b *client.Block) { b.Header.Header.Raw.Timestamp++ },
		"the parent is another": func(b *client.Block) { b.Header.Header.Raw.Parent = b.ID },
		"the height is another": func(b *client.Block) { b.Header.Header.Raw.Number++ },
		"the id is of another":  func(b *client.Block) { b.ID = b.Header.Header.Raw.Parent },
	} {
		b := nile(t)
		change(b)
		if _, err := new(Connector).parseBlock(b, 13232131); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %v, want ErrDown", name, err)
		}
	}
}

// TestAnAcceptedBlock: an operator has checked the list of a block.
//
// Covers operator §Settings: accept_blocks
func TestAnAcceptedBlock(t *testing.T) {
	t.Parallel()
	b := nile(t)
	b.Transactions = b.Transactions[:2]
	c := &Connector{cfg: Config{AcceptBlocks: []string{b.ID}}}
	if got, err := c.parseBlock(b, 13232131); err != nil || len(got.txs) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	_, err := new(Connector).parseBlock(b, 13232131)
	if err == nil || !strings.Contains(err.Error(), "accept_blocks") || !strings.Contains(err.Error(), b.ID) {
		t.Errorf("the operator is not told what to do: %v", err)
	}
}

// TestTransactionsOfRealNodes: transactions are read and written byte by byte as wallets write them.
func TestTransactionsOfRealNodes(t *testing.T) {
	t.Parallel()
	txs := nile(t).Transactions
	for i, tx := range txs {
		data, err := hex.DecodeString(tx.RawData)
		if err != nil {
			t.Fatal(err)
		}
		r, err := readRaw(data)
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			move, ok := readTransfer(r.parameter)
			if again := move.raw(); !ok || move.units != 5_000_000_000 || string(again.parameter) != string(r.parameter) || again.typeURL != r.typeURL {
				t.Errorf("transaction %d is %+v", i, move)
			}
			if string(r.encode()) != string(data) {
				t.Errorf("transaction %d is written as %x", i, r.encode())
			}
			continue
		}
		call, ok := readTrigger(r.parameter)
		to, units, transfers := readTransferCall(call.data)
		if again := call.raw(); !ok || !transfers || units.String() != "1234560000000000000" || string(again.parameter) != string(r.parameter) ||
			hexOf(to) != "4101c12a552c8a35051153c05792249d2512f011ba" || r.feeLimit != 6_000_000 {
			t.Errorf("the call is %+v: %s to %s", call, units, to)
		}
	}
}

// TestInfosOfRealNodes: what a real node tells of a transfer of a token, of a call that moves TRX, and of a block without transactions.
func TestInfosOfRealNodes(t *testing.T) {
	t.Parallel()
	var infos client.Infos
	if read(t, filepath.Join("testdata", "recorded", "infos.json"), &infos); len(infos) != 3 {
		t.Fatalf("%d infos", len(infos))
	}
	logs := readLogs(infos[0].Log)
	if len(logs) != 1 || logs[0].units.Int64() != 1_000_000 || infos[0].Fee != 2_965_000 || infos[0].Receipt.Result != "SUCCESS" {
		t.Errorf("%+v: %+v", infos[0], logs)
	}
	if inner := infos[1].Internal; len(inner) != 1 || inner[0].Values[0].Value != 1 || inner[0].Rejected {
		t.Errorf("%+v", infos[1])
	}
	if infos[2].Fee != 0 || infos[2].Receipt.Result != "" {
		t.Errorf("%+v", infos[2])
	}
	if err := json.Unmarshal([]byte("{}"), &infos); err != nil || len(infos) != 0 {
		t.Errorf("no infos: %+v, %v", infos, err)
	}
}
