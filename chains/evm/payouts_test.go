package evm_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

var payee = common.HexToAddress("0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb")

func order(token string, amount string) chains.Order {
	return chains.Order{To: payee.Hex(), Token: token, Amount: decimal.RequireFromString(amount)}
}

// single is the spend of one order.
func single(o chains.Order) chains.Spend { return again(o, nil) }

// again is the spend of one order over what was signed for it before.
func again(o chains.Order, over [][]byte) chains.Spend {
	return chains.Spend{Orders: []chains.Order{o}, Over: over}
}

// signed prepares and signs an order with the next nonce.
func (l *launched) signed(t *testing.T, o chains.Order) chains.Signed {
	t.Helper()
	nonce, err := l.sender.NextNonce(t.Context(), l.sender.Hot())
	check(t, err)
	draft, err := l.sender.Prepare(t.Context(), single(o))
	check(t, err)
	return sign(t, draft, nonce)
}

func sign(t *testing.T, draft chains.Draft, nonce uint64) chains.Signed {
	t.Helper()
	signed, err := draft.Sign(chains.Slot{Number: nonce})
	check(t, err)
	return signed
}

// pay pays an order and mines it.
func (l *launched) pay(t *testing.T, o chains.Order) chains.Signed {
	t.Helper()
	signed := l.signed(t, o)
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	return signed
}

func (l *launched) outcome(t *testing.T, raw []byte, want chains.Outcome, reason string) {
	t.Helper()
	got, why := l.sender.Broadcast(t.Context(), raw)
	if got != want || !strings.Contains(why, reason) {
		t.Errorf("outcome %d (%q), want %d (%q)", got, why, want, reason)
	}
}

func (l *launched) state(t *testing.T, txid string) chains.TxStatus {
	t.Helper()
	all, err := l.Status(t.Context(), []string{txid})
	check(t, err)
	return all[txid]
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{tokens: map[string]uint8{"USDT": 6, "USDC": 6}})
	l.tokens["USDT"].Call(t, anvil.Rich, "setBlacklisted", payee, true)
	l.tokens["USDC"].Call(t, anvil.Rich, "setRefusing", true)
	l.node.Mine(t, 1)
	to := func(address string) chains.Order {
		o := order("ETH", "1")
		o.To = address
		return o
	}
	for _, c := range []struct {
		name   string
		order  chains.Order
		want   error
		reason string
	}{
		{"a blacklisted payee", order("USDT", "1"), chains.ErrUnpayable, "TestToken: blacklisted"},
		{"a token that answers false", order("USDC", "1"), chains.ErrUnpayable, "answers false"},
		{"too many digits", order("USDC", "1.0000001"), chains.ErrUnpayable, "not an amount"},
		{"an amount of 10^9999", order("USDC", "1e9999"), chains.ErrUnpayable, "not an amount"},
		{"an amount of 10^-9999", order("USDC", "1e-9999"), chains.ErrUnpayable, "not an amount"},
		{"a contract that takes no money", to("0x4200000000000000000000000000000000000042"), chains.ErrUnpayable, ""},
		{"a token's contract", to(l.tokens["USDC"].Address.Hex()), chains.ErrUnpayable, "contract of USDC"},
		{"the zero address", to("0x0000000000000000000000000000000000000000"), chains.ErrUnpayable, "zero address"},
		{"the hot wallet", to(l.Hot()), chains.ErrUnpayable, "hot wallet"},
		{"more coins than there are", order("ETH", "2000.5"), chains.ErrShort, "0.5 ETH"},
		{"all coins, with nothing left for gas", order("ETH", "2000"), chains.ErrShort, "ETH are missing"},
		{"more tokens than there are", order("USDT", "10000.25"), chains.ErrShort, "0.25 USDT"},
	} {
		if strings.HasPrefix(c.name, "a contract that takes") {
			l.node.Call(t, nil, "anvil_setCode", common.HexToAddress(c.order.To), "0x60006000fd")
		}
		_, err := l.sender.Prepare(t.Context(), single(c.order))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %v (%s)", c.name, err, c.want, c.reason)
		}
	}
}

// TestNoContract: a token without its contract cannot be paid with, although a call of nothing succeeds.
func TestNoContract(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{change: func(c *evm.Config) { c.Tokens["GONE"] = evm.Token{Contract: payee.Hex(), Decimals: 6} }})
	o := order("GONE", "1")
	o.To = "0x1111111111111111111111111111111111111111"
	if _, err := l.sender.Prepare(t.Context(), single(o)); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%v, want ErrShort", err)
	}
}

func TestNoGas(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{without: true})
	l.tokens["USDT"].Mint(t, l.hot(), whole(10, 6))
	l.node.Mine(t, 1)
	if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "1"))); !errors.Is(err, chains.ErrShort) || !strings.Contains(err.Error(), "ETH") {
		t.Errorf("tokens without gas: %v, want ErrShort of ETH", err)
	}
	if _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); !errors.Is(err, chains.ErrShort) {
		t.Errorf("nothing at all: %v, want ErrShort", err)
	}
}

// TestTheMempoolIsDeductedFromTheWallet: money spent by a transaction in the mempool cannot be paid out again.
func TestTheMempoolIsDeductedFromTheWallet(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	l.outcome(t, l.signed(t, order("USDT", "6000")).Raw, chains.Accepted, "")
	if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "6000"))); !errors.Is(err, chains.ErrShort) {
		t.Errorf("12,000 of 10,000: %v, want ErrShort", err)
	}
}

// TestShortInTheTrial: a revert is no refusal while the hot wallet holds too little, though its balances were enough before.
//
// Covers addendum §7: An empty treasury
func TestShortInTheTrial(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reverts string
		drained       bool
		want          error
	}{
		{"the token says so", "execution reverted: ERC20: transfer amount exceeds balance", false, chains.ErrShort},
		{"it went meanwhile", "execution reverted", true, chains.ErrShort},
		{"it is all there", "execution reverted", false, chains.ErrUnpayable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, m := meddled(t, launchOptions{})
			var drained atomic.Bool
			m.set(func(q asked, _ answer) *answer {
				switch {
				case q.Method == "eth_estimateGas":
					drained.Store(c.drained)
					return refuses(3, c.reverts)
				case drained.Load() && q.Method == "eth_call" && strings.Contains(string(q.Params[0]), "70a08231"):
					return says(`"0x` + strings.Repeat("0", 64) + `"`)
				}
				return nil
			})
			if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "1"))); !errors.Is(err, c.want) ||
				errors.Is(err, chains.ErrShort) == errors.Is(err, chains.ErrUnpayable) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestReverts: a transaction taken and then undone by the network is reverted, and cost its fee.
func TestReverts(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	signed := l.signed(t, order("USDT", "1"))
	l.tokens["USDT"].Call(t, anvil.Rich, "setBlacklisted", payee, true)
	l.node.Mine(t, 1)
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	got := l.state(t, signed.Txid)
	if got.State != chains.TxReverted || got.Final || !got.Fee.IsPositive() {
		t.Fatalf("%+v, want reverted", got)
	}
	l.node.Mine(t, 2)
	if got = l.state(t, signed.Txid); got.State != chains.TxReverted || !got.Final {
		t.Errorf("%+v, want reverted and final", got)
	}
	l.want(t, payee)
}

// TestDroppedBytesAreSentAgainUnchanged: bytes dropped from the mempool go out again, unchanged.
func TestDroppedBytesAreSentAgainUnchanged(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	signed := l.signed(t, order("USDT", "1"))
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Drop(t, signed.Txid)
	if got := l.state(t, signed.Txid).State; got != chains.TxMissing {
		t.Fatalf("state %d after it was dropped", got)
	}
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	l.want(t, payee, "USDT 0 1")
}

// TestSpentNonce: a nonce spent by these bytes is success, by others it is not known.
func TestSpentNonce(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	draft, err := l.sender.Prepare(t.Context(), single(order("ETH", "2")))
	check(t, err)
	other := sign(t, draft, 0)
	paid := l.pay(t, order("ETH", "1"))
	l.outcome(t, paid.Raw, chains.Accepted, "")
	l.outcome(t, other.Raw, chains.SlotTaken, "nonce is spent")
}

// TestRejected: only bytes proven invalid are rejected.
func TestRejected(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	key, err := crypto.GenerateKey()
	check(t, err)
	raw := func(signer types.Signer, inner types.TxData) []byte {
		tx, err := types.SignNewTx(key, signer, inner)
		check(t, err)
		out, err := tx.MarshalBinary()
		check(t, err)
		return out
	}
	price := whole(100, 9)
	poor := types.LegacyTx{To: &payee, Gas: 21000, GasPrice: price, Value: whole(1, 18)}
	starved := types.LegacyTx{To: &payee, Gas: 20999, GasPrice: price}
	here, there := types.LatestSignerForChainID(whole(1, 0)), types.LatestSignerForChainID(whole(56, 0))
	l.outcome(t, raw(there, &poor), chains.Rejected, "another chain")
	l.outcome(t, raw(types.HomesteadSigner{}, &poor), chains.Rejected, "another chain")
	l.outcome(t, nil, chains.Rejected, "not a transaction")
	l.outcome(t, []byte{2, 0xff}, chains.Rejected, "not a transaction")
	l.outcome(t, raw(here, &poor), chains.NotTaken, "")
	l.node.SetBalance(t, crypto.PubkeyToAddress(key.PublicKey), whole(5, 18))
	l.outcome(t, raw(here, &starved), chains.Rejected, "ntrinsic gas too low")
	l.outcome(t, raw(here, &poor), chains.Accepted, "")
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Xlayer"})
	nonce, err := l.sender.NextNonce(t.Context(), l.sender.Hot())
	check(t, err)
	first := l.signed(t, order("OKB", "1"))
	l.outcome(t, first.Raw, chains.Accepted, "")
	tx := new(types.Transaction)
	check(t, tx.UnmarshalBinary(first.Raw))
	if tx.Type() != types.LegacyTxType || tx.ChainId().Uint64() != 196 {
		t.Errorf("type %d of chain %v, want legacy of 196", tx.Type(), tx.ChainId())
	}
	draft, err := l.sender.Prepare(t.Context(), again(order("OKB", "1"), [][]byte{first.Raw}))
	check(t, err)
	second := sign(t, draft, nonce)
	l.outcome(t, second.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	if l.state(t, first.Txid).State != chains.TxMissing || l.state(t, second.Txid).State != chains.TxMined {
		t.Errorf("first %+v, second %+v", l.state(t, first.Txid), l.state(t, second.Txid))
	}
}

// TestReplacements: every replacement offers a quarter more than anything before it, for its own nonce only.
func TestReplacements(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	o := order("USDT", "1")
	over := [][]byte{l.signed(t, o).Raw}
	l.outcome(t, over[0], chains.Accepted, "")
	for i := range 3 {
		draft, err := l.sender.Prepare(t.Context(), again(o, over))
		check(t, err)
		if _, err := draft.Sign(chains.Slot{Number: 1}); err == nil {
			t.Error("a replacement was signed for another nonce")
		}
		raw := sign(t, draft, 0).Raw
		before, after := new(types.Transaction), new(types.Transaction)
		check(t, before.UnmarshalBinary(over[i]))
		check(t, after.UnmarshalBinary(raw))
		for name, pair := range map[string][2]decimal.Decimal{
			"tip": {decimal.NewFromBigInt(before.GasTipCap(), 0), decimal.NewFromBigInt(after.GasTipCap(), 0)},
			"cap": {decimal.NewFromBigInt(before.GasFeeCap(), 0), decimal.NewFromBigInt(after.GasFeeCap(), 0)},
		} {
			if pair[1].LessThan(pair[0].Mul(decimal.RequireFromString("1.25"))) {
				t.Errorf("%s went from %s to %s", name, pair[0], pair[1])
			}
		}
		if after.Gas() != before.Gas() || string(after.Data()) != string(before.Data()) {
			t.Error("a bump changed more than the fees")
		}
		l.outcome(t, raw, chains.Accepted, "")
		over = append(over, raw)
	}
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Over: over})
	check(t, err)
	l.outcome(t, sign(t, draft, 0).Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	l.want(t, payee)
	if _, err := draft.Sign(chains.Slot{Number: 1}); err == nil {
		t.Error("a nonce was cancelled that nothing was signed for")
	}
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{}); err == nil {
		t.Error("nothing was cancelled")
	}
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{o, o}}); err == nil {
		t.Error("two orders in a transaction")
	}
}

// TestPoorReplacement: a replacement too dear for the hot wallet waits.
func TestPoorReplacement(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	signed := l.signed(t, order("ETH", "1"))
	l.node.SetBalance(t, l.hot(), decimal.NewFromInt(1).Add(signed.Fee).Shift(18).BigInt())
	if _, err := l.sender.Prepare(t.Context(), again(order("ETH", "1"), [][]byte{signed.Raw})); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%v, want ErrShort", err)
	}
}

// TestCeiling: while the network asks for more than the operator allows, payouts wait.
//
// Covers operator §Settings: max_fee_gwei is
func TestCeiling(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{change: func(c *evm.Config) { c.MaxFeeGwei = decimal.RequireFromString("2.5") }})
	signed := l.pay(t, order("ETH", "1"))
	tx := new(types.Transaction)
	check(t, tx.UnmarshalBinary(signed.Raw))
	if got := tx.GasFeeCap(); got.Cmp(whole(25, 8)) > 0 {
		t.Errorf("offered %v wei", got)
	}
	if _, err := l.sender.Prepare(t.Context(), again(order("ETH", "1"), [][]byte{signed.Raw})); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a bump over the ceiling: %v, want ErrDown", err)
	}
	l.node.Call(t, nil, "anvil_setNextBlockBaseFeePerGas", "0x77359400") // 2 gwei
	l.node.Mine(t, 1)
	if _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); !errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), "ceiling") {
		t.Errorf("gas over the ceiling: %v, want ErrDown", err)
	}
}

func TestWrongSeed(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	if _, err := evm.NewSender(l.Connector, []byte("another seed of thirty-two bytes")); !errors.Is(err, evm.ErrKey) {
		t.Errorf("another seed: %v, want ErrKey", err)
	}
	if _, err := evm.NewSender(l.Connector, []byte("short")); !errors.Is(err, addresses.ErrSeed) {
		t.Errorf("a short seed: %v, want ErrSeed", err)
	}
}
