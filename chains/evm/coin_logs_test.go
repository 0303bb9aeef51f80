package evm_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

// emits is a contract to log its calldata as Polygon logs moves of its coin, with Polygon's topic. Relays calls it with its own
// calldata, as an account able to take the value of its transaction.
const (
	emits  = "0x60a060406000376020356000356110107fe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c460a06000a400"
	relays = "0x3660006000376000600036600060006110105af100"
)

// coinLog is the calldata: sender, recipient, amount, both balances before, both after.
func coinLog(from, to common.Address, amount, fell int64) (data []byte) {
	data = append(common.LeftPadBytes(from[:], 32), common.LeftPadBytes(to[:], 32)...)
	for _, coins := range []int64{amount, 100, 0, 100 - fell, amount} {
		data = append(data, common.LeftPadBytes(whole(coins, 18).Bytes(), 32)...)
	}
	return data
}

// TestPolygonsCoinIsSeenInItsLogs: coin sent by a contract is seen once, and so is a plain payment logged as well. The log of
// the contract itself lowers nobody's balance, and is no payment.
func TestPolygonsCoinIsSeenInItsLogs(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Polygon"})
	coin := common.HexToAddress("0x0000000000000000000000000000000000001010")
	safe := common.HexToAddress("0x00000000000000000000000000000000000f0001")
	l.node.Call(t, nil, "anvil_setCode", coin, emits)
	to, plain := l.deposit(t, 0), l.deposit(t, 1)
	l.node.Call(t, nil, "anvil_setCode", plain, relays)
	l.node.Send(t, anvil.Rich, coin, new(big.Int), coinLog(safe, to, 2, 2))
	l.node.Send(t, l.node.Accounts[1], coin, new(big.Int), coinLog(l.node.Accounts[1], to, 5, 0))
	l.node.Send(t, l.node.Accounts[2], plain, whole(3, 18), coinLog(l.node.Accounts[2], plain, 3, 3))
	l.node.Mine(t, 1)
	l.want(t, to, "POL 0 2")
	l.want(t, plain, "POL 0 3")
}

// TestWhoIsWarnedOfCoinThatContractsSend: all but Polygon, unless traces are on.
func TestWhoIsWarnedOfCoinThatContractsSend(t *testing.T) {
	t.Parallel()
	for network, warned := range map[string]bool{"Polygon": false, "Celo": true, "Ethereum": true} {
		l := launch(t, launchOptions{network: network})
		for _, traces := range []bool{false, true} {
			log, seen := test.NewNullLogger()
			cfg := l.config
			cfg.Traces = traces
			c, err := evm.Open(t.Context(), cfg, log)
			check(t, err)
			c.Close()
			found := false
			for _, e := range seen.AllEntries() {
				found = found || e.Level == logrus.WarnLevel
			}
			if found != (warned && !traces) {
				t.Errorf("%s, traces %v: warned %v", network, traces, found)
			}
		}
	}
}
