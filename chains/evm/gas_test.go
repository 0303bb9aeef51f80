package evm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains"
	"causeway/chains/evm"
)

// Code of recipients: a loop of some 30 gas a turn. The last one never ends.
const (
	burnsTenMillion    = "0x62061a805b600190038060045700"
	burnsFortyThousand = "0x620006005b600190038060045700"
	neverEnds          = "0x5b600056"
)

// TestGasOfTheRecipient: code at the recipient decides the gas of a payment, and is refused above the bound.
//
// Covers addendum §7: A recipient whose contract
// Covers operator §Settings: max_gas is
func TestGasOfTheRecipient(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	for code, refused := range map[string]string{
		burnsTenMillion:    "is a contract, and paying it takes 1",
		neverEnds:          "is a contract, and paying it takes more gas than",
		burnsFortyThousand: "",
	} {
		l.node.Call(t, nil, "anvil_setCode", payee, code)
		draft, err := l.sender.Prepare(t.Context(), single(order("ETH", "0.001")))
		switch {
		case refused == "":
			check(t, err)
			if gas := gasOf(t, sign(t, draft, 0)); gas < 60_000 || gas > 100_000 {
				t.Errorf("%s is given %d gas", code, gas)
			}
		case !errors.Is(err, chains.ErrUnpayable) || errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), refused):
			t.Errorf("%s: %v, want %q", code, err, refused)
		}
	}
}

func gasOf(t *testing.T, signed chains.Signed) uint64 {
	t.Helper()
	tx := new(types.Transaction)
	check(t, tx.UnmarshalBinary(signed.Raw))
	return tx.Gas()
}

// TestGasOfTheNetwork: if a payment to a recipient without code takes more than the bound, the payout waits. So does a
// replacement of a payment given more before the bound was lowered. The addition to an estimate never goes above it.
//
// Covers addendum §7: A recipient whose contract
// Covers operator §Settings: max_gas is
func TestGasOfTheNetwork(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{network: "ArbitrumOne"})
	takes := func(gas string) {
		m.set(func(q asked, _ answer) *answer {
			if q.Method == "eth_estimateGas" {
				return says(`"` + gas + `"`)
			}
			return nil
		})
	}
	takes("0x1e8481") // 2,000,001
	for _, token := range []string{"ETH", "USDT"} {
		if _, err := l.sender.Prepare(t.Context(), single(order(token, "1"))); !errors.Is(err, chains.ErrDown) || errors.Is(err, chains.ErrUnpayable) ||
			!strings.Contains(err.Error(), "2000001 gas, over the bound of 2000000") {
			t.Errorf("%s: %v, want to wait", token, err)
		}
	}
	takes("0x1e847f")
	signed := l.signed(t, order("ETH", "1"))
	if gas := gasOf(t, signed); gas != 2_000_000 {
		t.Errorf("%d gas is given", gas)
	}
	over := [][]byte{signed.Raw}
	if _, err := l.lowered(t, 1_999_999).Prepare(t.Context(), again(order("ETH", "1"), over)); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a bump: %v, want to wait", err)
	}
	if _, err := l.lowered(t, 1_999_998).Prepare(t.Context(), chains.Spend{Over: over}); !errors.Is(err, chains.ErrDown) || errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("a cancellation: %v, want to wait", err)
	}
	draft, err := l.lowered(t, 1_999_999).Prepare(t.Context(), chains.Spend{Over: over})
	check(t, err)
	if gas := gasOf(t, sign(t, draft, 0)); gas != 1_999_999 {
		t.Errorf("a cancellation is given %d gas", gas)
	}
}

// lowered returns a sender of the same wallet with another bound.
func (l *launched) lowered(t *testing.T, gas uint64) *evm.Sender {
	t.Helper()
	cfg := l.config
	cfg.MaxGas = gas
	c, err := evm.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(c.Close)
	s, err := evm.NewSender(c, seed)
	check(t, err)
	return s
}

// TestGasOfATokenWithHooks: if a token calls its recipient, the recipient decides, too. Here the token itself takes the gas.
func TestGasOfATokenWithHooks(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	l.node.Call(t, nil, "anvil_setCode", payee, "0x00")
	l.node.Call(t, nil, "anvil_setCode", common.HexToAddress(l.config.Tokens["USDT"].Contract),
		strings.TrimSuffix(burnsTenMillion, "00")+"60015f5260205ff3")
	if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "0.000001"))); !errors.Is(err, chains.ErrUnpayable) ||
		!strings.Contains(err.Error(), "over the bound of 300000") {
		t.Errorf("%v, want a refusal", err)
	}
}
