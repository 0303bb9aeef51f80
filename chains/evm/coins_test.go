package evm_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"causeway/internal/dev/anvil"
)

// standIn answers aggregate3 of getEthBalance as Multicall3 does, for a chain without it. It was written by hand: for each call
// it takes the owner from the connector's place for it.
const standIn = "0x60206000526024358060205260005b818110156057578060800282602002018082602002604001526040016001815260408160200152602081604001528160c002836020020160c8013531816060015250600101600e565b5060a0026040016000f3"

// forwarder sends the coin of a call on to the address in the call's data, as the contract of an exchange does.
const forwarder = "0x6000600060006000346000355af100"

// TestCoinsAreReadTogether: coin sent by a contract shows in no block of a node without traces, and the balances show it at
// each height: by one request for any number of addresses with Multicall3, by batches without it.
func TestCoinsAreReadTogether(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	if !l.Misses() {
		t.Error("without traces coin is missed")
	}
	contract := common.HexToAddress("0x00000000000000000000000000000000000f0f0f")
	l.node.Call(t, nil, "anvil_setCode", contract, forwarder)
	var addresses []string
	for i := range 450 {
		addresses = append(addresses, common.BigToAddress(big.NewInt(int64(0xabc000+i))).Hex())
	}
	before := l.node.Height(t)
	l.node.Send(t, anvil.Rich, contract, big.NewInt(3_000_000_000), common.LeftPadBytes(common.HexToAddress(addresses[321]).Bytes(), 32))
	l.node.Mine(t, 1)
	blocks, err := l.Blocks(t.Context(), before+1, 10)
	check(t, err)
	for _, b := range blocks {
		if len(b.Transfers) > 1 {
			t.Errorf("block %d shows %+v", b.Height, b.Transfers)
		}
	}
	requests := func(height int64, want string) int64 {
		began := l.Requests()
		held, err := l.Coins(t.Context(), addresses, height)
		check(t, err)
		for i, h := range held {
			if wanted := map[bool]string{true: want, false: "0"}[i == 321]; h.String() != wanted {
				t.Errorf("address %d holds %s at %d, want %s", i, h, height, wanted)
			}
		}
		return l.Requests() - began
	}
	if n := requests(l.node.Height(t), "0.000000003"); n != 1+450/20+1 {
		t.Errorf("%d requests without Multicall3", n)
	}
	l.node.Call(t, nil, "anvil_setCode", common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11"), standIn)
	l.node.Mine(t, 1)
	if n := requests(l.node.Height(t), "0.000000003"); n != 3 {
		t.Errorf("%d requests with Multicall3", n)
	}
	requests(before, "0")
}
