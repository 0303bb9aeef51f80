package evm

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

var (
	alice, bob = common.Address{1}, common.Address{2}
	celo       = common.HexToAddress("0x471EcE3750Da237f93B8E339c536989b8978a438")
)

func onCelo(t *testing.T) *Connector {
	t.Helper()
	cfg := Defaults("Celo")
	cfg.Tokens = map[string]Token{"USDT": {Contract: common.Address{9}.Hex(), Decimals: 6}}
	c := &Connector{cfg: cfg}
	c.known.Store(tablesOf(cfg, "CELO"))
	c.coin = c.tokens()["CELO"]
	return c
}

func transferLog(contract common.Address, index uint64, from, to common.Address, units int64) client.Log {
	tx, at := common.Hash{5}, client.Uint64(index)
	return client.Log{
		Address: contract, Index: &at, TxHash: &tx, Data: word(big.NewInt(units).Bytes()),
		Topics: []common.Hash{transferTopic, common.BytesToHash(from[:]), common.BytesToHash(to[:])},
	}
}

// TestCountedOnce: a value shown by the chain also as a log of its coin is one transfer; any other log is one of its own.
func TestCountedOnce(t *testing.T) {
	t.Parallel()
	c, tx := onCelo(t), common.Hash{5}
	direct := client.Tx{Hash: &tx, From: alice, To: &bob, Value: (*client.Big)(big.NewInt(7))}
	nft := transferLog(common.Address{9}, 8, alice, bob, 1)
	nft.Topics = append(nft.Topics, common.Hash{})
	for name, test := range map[string]struct {
		txs  []client.Tx
		logs []client.Log
		want string
	}{
		"value only": {[]client.Tx{direct}, nil, "[CELO/0/7]"},
		"log only":   {nil, []client.Log{transferLog(celo, 1, alice, bob, 7)}, "[CELO/0/7]"},
		"both":       {[]client.Tx{direct}, []client.Log{transferLog(celo, 1, alice, bob, 7)}, "[CELO/0/7]"},
		"both and again": {[]client.Tx{direct},
			[]client.Log{transferLog(celo, 1, alice, bob, 7), transferLog(celo, 2, alice, bob, 7)}, "[CELO/0/7 CELO/1/7]"},
		"another amount":     {[]client.Tx{direct}, []client.Log{transferLog(celo, 1, alice, bob, 6)}, "[CELO/0/7 CELO/1/6]"},
		"a token is no coin": {[]client.Tx{direct}, []client.Log{transferLog(common.Address{9}, 1, alice, bob, 7)}, "[CELO/0/7 USDT/0/7]"},
		"out of order": {nil, []client.Log{transferLog(celo, 9, alice, bob, 2), transferLog(celo, 3, alice, bob, 1)},
			"[CELO/0/1 CELO/1/2]"},
		"an unknown contract":    {nil, []client.Log{transferLog(common.Address{8}, 1, alice, bob, 7)}, "[]"},
		"nothing, and to itself": {nil, []client.Log{transferLog(celo, 1, alice, bob, 0), transferLog(celo, 2, bob, bob, 7)}, "[]"},
		"an NFT":                 {nil, []client.Log{nft}, "[]"},
	} {
		var got []string
		for _, m := range c.transfers(test.txs, nil, test.logs) {
			got = append(got, fmt.Sprintf("%s/%d/%s", m.Token, m.Position, m.Amount.Shift(c.tokens()[m.Token].decimals)))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, want %s", name, got, test.want)
		}
	}
}

func TestRaised(t *testing.T) {
	t.Parallel()
	for before, want := range map[int64]int64{0: 1, 1: 2, 3: 4, 4: 5, 5: 7, 100: 125, 101: 127, 1_000_000_000: 1_250_000_000} {
		if got := raised(big.NewInt(before)); got.Int64() != want {
			t.Errorf("%d is raised to %v, want %d", before, got, want)
		}
	}
}
