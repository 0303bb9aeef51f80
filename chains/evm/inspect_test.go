package evm_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/internal/dev/anvil"
)

const canBlock = "blocklist: its owner can block an address"

// TestInspectHabits: each habit of a contract is found by calls alone, and shown with its effect on payouts.
//
// Covers operator §Admin: token add tries
func TestInspectHabits(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	for name, c := range map[string]struct {
		change func(*anvil.Token)
		habits []string
		harms  bool
	}{
		"plain":   {func(*anvil.Token) {}, []string{canBlock}, false},
		"fee":     {func(k *anvil.Token) { k.Call(t, anvil.Rich, "setFee", big.NewInt(100), common.Address{9}) }, []string{canBlock, "fee on transfer: of 50 sent, 49.5 arrive"}, true},
		"refuses": {func(k *anvil.Token) { k.Call(t, anvil.Rich, "setRefusing", true) }, []string{canBlock, "returns false: a transfer answers false and does not revert"}, true},
		"blocked": {func(k *anvil.Token) { k.Call(t, anvil.Rich, "setBlacklisted", l.hot(), true) },
			[]string{canBlock + ", and has blocked our hot wallet", `refuses: a transfer to our hot wallet reverts, with "TestToken: blacklisted"`}, true},
	} {
		k := l.node.Deploy(t, "NEW", 6)
		k.Mint(t, common.Address{7}, whole(50, 6))
		k.Mint(t, common.Address{8}, whole(20, 6))
		l.node.Mine(t, 1)
		c.change(k)
		l.node.Mine(t, 1)
		facts, err := l.Inspect(t.Context(), strings.ToLower(k.Address.Hex()), "")
		check(t, err)
		if facts.Contract != k.Address.Hex() || facts.Symbol != "NEW" || facts.Decimals != 6 || facts.Untried != "" ||
			facts.Harms != c.harms || !slices.Equal(facts.Habits, c.habits) {
			t.Errorf("%s: %+v", name, facts)
		}
	}
}

// TestInspectWithoutReturnValue: a pause, and a transfer without an answer, are shown; the first harms while it is on.
//
// Covers operator §Admin: token add tries
func TestInspectWithoutReturnValue(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	at, holder := common.Address{19: 0xaa, 0: 1}, common.Address{7}
	for _, paused := range []byte{0, 1} {
		l.node.Call(t, nil, "anvil_setCode", at, hexutil.Bytes(contractOf(map[string][]byte{
			"decimals()": word(6), "symbol()": text("OLD"), "paused()": word(paused),
		})))
		l.node.Call(t, nil, "anvil_setStorageAt", at, common.BytesToHash(holder[:]), common.BigToHash(big.NewInt(5_000_000)))
		facts, err := l.Inspect(t.Context(), at.Hex(), holder.Hex())
		check(t, err)
		want := []string{"pausable: its owner can stop all transfers", "no return value: a transfer answers nothing"}
		if paused == 1 {
			want[0] += ", and has"
		}
		if !slices.Equal(facts.Habits, want) || facts.Harms != (paused == 1) || facts.Untried != "" {
			t.Errorf("paused %d: %+v", paused, facts)
		}
	}
	if facts, err := l.Inspect(t.Context(), at.Hex(), ""); err != nil || facts.Untried != "nobody was found who holds any: name a holder" {
		t.Errorf("without a holder: %+v, %v", facts, err)
	}
	if _, err := l.Inspect(t.Context(), at.Hex(), l.Hot()); err == nil || !strings.Contains(err.Error(), "name somebody else") {
		t.Errorf("the hot wallet as the holder: %v", err)
	}
	if _, err := l.Inspect(t.Context(), at.Hex(), "somebody"); !errors.Is(err, chains.ErrFormat) {
		t.Errorf("a holder that is no address: %v", err)
	}
}

// TestInspectHostile: whatever a contract answers, its symbol is short and can be printed, and its decimals can be counted with.
//
// Covers operator §Admin: A contract that does not
func TestInspectHostile(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	at := common.Address{0: 1, 19: 0xbb}
	as := func(answers map[string][]byte) (*chains.TokenFacts, error) {
		l.node.Call(t, nil, "anvil_setCode", at, hexutil.Bytes(contractOf(answers)))
		return l.Inspect(t.Context(), at.Hex(), "")
	}
	lying := append(append(word(32), bytes.Repeat([]byte{0xff}, 32)...), "LIE"...)
	for symbol, answer := range map[string][]byte{
		"EVIL":                  text("E\x00V\x1b[2JI\nL\u202e"),
		strings.Repeat("A", 32): text(strings.Repeat("A", 100_000)),
		strings.Repeat("€", 10): text(strings.Repeat("€", 50)),
		"MKR":                   common.RightPadBytes([]byte("MKR"), 32),
		"":                      {},
	} {
		if symbol == "EVIL" {
			symbol = "EV[2JIL"
		}
		if facts, err := as(map[string][]byte{"decimals()": word(18), "symbol()": answer}); err != nil || facts.Symbol != symbol || facts.Decimals != 18 {
			t.Errorf("want %q: %+v, %v", symbol, facts, err)
		}
	}
	if facts, err := as(map[string][]byte{"decimals()": word(18), "symbol()": lying}); err != nil || len(facts.Symbol) > 32 {
		t.Errorf("a symbol that is longer than the answer: %+v, %v", facts, err)
	}
	for name, decimals := range map[string][]byte{"37": word(37), "255": word(255), "none": {}, "much": bytes.Repeat([]byte{0xff}, 32)} {
		if facts, err := as(map[string][]byte{"decimals()": decimals, "symbol()": text("X")}); !errors.Is(err, chains.ErrNoToken) {
			t.Errorf("decimals %s: %+v, %v", name, facts, err)
		}
	}
	for name, contract := range map[string]common.Address{"an account": anvil.Rich, "nothing": {0: 2, 19: 0xcc}} {
		if facts, err := l.Inspect(t.Context(), contract.Hex(), ""); !errors.Is(err, chains.ErrNoToken) {
			t.Errorf("%s: %+v, %v", name, facts, err)
		}
	}
	if _, err := l.Inspect(t.Context(), "0x12", ""); !errors.Is(err, chains.ErrFormat) {
		t.Errorf("no address: %v", err)
	}
	if _, err := l.Inspect(t.Context(), l.tokens["USDT"].Address.Hex(), ""); err == nil || !strings.Contains(err.Error(), "is watched already, as USDT") {
		t.Errorf("a token of the settings: %v", err)
	}
}

// TestWatch: a token added to an open connector is seen, paid out, counted and refused as a destination. Another contract of
// the same name is an error.
func TestWatch(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	k := l.node.Deploy(t, "NEW", 6)
	k.Mint(t, anvil.Rich, whole(50, 6))
	k.Mint(t, l.hot(), whole(50, 6))
	l.node.Mine(t, 1)
	to := l.deposit(t, 0)
	k.Transfer(t, anvil.Rich, to, whole(3, 6))
	l.node.Mine(t, 1)
	l.want(t, to)
	before, added := l.Watched(), chains.Token{Symbol: "NEW", Contract: k.Address.Hex(), Decimals: 6}
	for range 2 {
		check(t, l.Watch(added))
	}
	if l.Watched() != before+1 {
		t.Errorf("%d watched, after %d", l.Watched(), before)
	}
	if got := l.to(t, to); len(got) != 1 || !strings.HasPrefix(got[0], "NEW") || !strings.HasSuffix(got[0], " 3") {
		t.Errorf("seen: %q", got)
	}
	held, err := l.Holdings(t.Context(), "NEW", []string{to.Hex()}, l.node.Height(t))
	check(t, err)
	if held[0].String() != "3" {
		t.Errorf("held: %s", held)
	}
	if _, err := l.Validate(k.Address.Hex()); !errors.Is(err, chains.ErrNotPayable) {
		t.Errorf("its contract as a destination: %v", err)
	}
	l.pay(t, order("NEW", "2"))
	l.node.Mine(t, 1)
	if got := l.to(t, payee); len(got) != 1 || !strings.HasPrefix(got[0], "NEW") || !strings.HasSuffix(got[0], " 2") {
		t.Errorf("paid: %q", got)
	}
	added.Contract = payee.Hex()
	if err := l.Watch(added); err == nil || !strings.Contains(err.Error(), "restart every role") {
		t.Errorf("another contract: %v", err)
	}
	if _, err := l.Inspect(t.Context(), k.Address.Hex(), ""); err == nil || !strings.Contains(err.Error(), "as NEW") {
		t.Errorf("added twice: %v", err)
	}
}

func word(n byte) []byte { return common.LeftPadBytes([]byte{n}, 32) }

// text is an answer of the ABI with a string.
func text(s string) []byte {
	size := common.BigToHash(big.NewInt(int64(len(s))))
	return append(append(word(32), size[:]...), common.RightPadBytes([]byte(s), (len(s)+31)/32*32)...)
}

// contractOf returns the code of a contract with these answers to calls without arguments, and with a transfer without an
// answer. The balance of an address is in the slot of its number.
func contractOf(answers map[string][]byte) []byte {
	bodies := map[string][]byte{
		"balanceOf(address)":        hexutil.MustDecode("0x6004355460005260206000f3"),
		"transfer(address,uint256)": hexutil.MustDecode("0x602435600435540160043555602435335403335500"), // to += units, the sender's -= units
	}
	const line, answering = 12, 18 // bytes of a line of the table, and of the code to answer with data
	size := 6 + line*(len(bodies)+len(answers)) + 4
	for _, body := range bodies {
		size += 1 + len(body)
	}
	data := size + (1+answering)*len(answers)
	push3 := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(0x62<<24|n)) }
	var facts []byte
	for method, answer := range answers {
		place := data + len(facts)
		bodies[method] = slices.Concat(push3(len(answer)), push3(place), []byte{0x60, 0, 0x39}, push3(len(answer)), []byte{0x60, 0, 0xf3})
		facts = append(facts, answer...)
	}
	table, rest := hexutil.MustDecode("0x60003560e01c"), []byte{} // the selector
	for method, body := range bodies {
		at := 6 + line*len(bodies) + 4 + len(rest)
		table = slices.Concat(table, []byte{0x80, 0x63}, crypto.Keccak256([]byte(method))[:4], []byte{0x14}, push3(at), []byte{0x57})
		rest = slices.Concat(rest, []byte{0x5b}, body)
	}
	return slices.Concat(table, []byte{0x60, 0, 0x80, 0xfd}, rest, facts)
}
