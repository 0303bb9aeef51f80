package tron_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// TestTokensAddedLater: a token of the catalogue is followed from when it is watched. Another contract for a known one is an error.
func TestTokensAddedLater(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *tron.Config) { c.Tokens = nil })
	l.pay(t, "USDT", stranger("new"), decimal.NewFromInt(5))
	height := l.node.Mine(1)
	read := func() []chains.Transfer {
		t.Helper()
		blocks, err := l.Blocks(t.Context(), height, 1)
		check(t, err)
		return blocks[0].Transfers
	}
	usdt := chains.Token{Symbol: "USDT", Contract: tronnode.USDT, Decimals: 6}
	if got := read(); len(got) != 0 || l.Watched() != 0 {
		t.Errorf("nothing is watched: %+v", got)
	}
	check(t, l.Watch(usdt))
	check(t, l.Watch(usdt))
	if got := read(); len(got) != 1 || got[0].Token != "USDT" || l.Watched() != 1 {
		t.Errorf("%+v", got)
	}
	other := usdt
	other.Contract = tronnode.Silent
	if err := l.Watch(other); !says(err, "was changed") {
		t.Errorf("%v", err)
	}
	check(t, l.Watch(chains.Token{Symbol: "USDT2", Contract: tronnode.USDT}, chains.Token{Symbol: "BAD", Contract: "0x00"}))
	if l.Watched() != 1 {
		t.Errorf("%d are watched", l.Watched())
	}
}

// TestATokenIsInspected: its facts and habits, found without sending anything.
func TestATokenIsInspected(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *tron.Config) { c.Tokens = nil })
	inspect := func(holder string) *chains.TokenFacts {
		t.Helper()
		facts, err := l.Inspect(t.Context(), tronnode.USDT, holder)
		check(t, err)
		return facts
	}
	habit := func(f *chains.TokenFacts, words string) bool {
		return slices.ContainsFunc(f.Habits, func(h string) bool { return strings.Contains(h, words) })
	}
	plain := inspect(tronnode.Rich.Text())
	if plain.Symbol != "USDT" || plain.Decimals != 6 || plain.Harms || plain.Untried != "" || !habit(plain, "answers false") || !habit(plain, "blocklist") || !habit(plain, "pausable") {
		t.Errorf("%+v", plain)
	}
	l.call(t, "setParams", big.NewInt(10), big.NewInt(40))
	if got := inspect(tronnode.Rich.Text()); !got.Harms && !habit(got, "fee on transfer") {
		t.Errorf("a part is kept: %+v", got)
	}
	l.call(t, "addBlackList", accountOf(t, l.Hot()))
	if got := inspect(tronnode.Rich.Text()); !got.Harms || !habit(got, "has blocked our hot wallet") {
		t.Errorf("our wallet is blocked: %+v", got)
	}
	if got := inspect(stranger("poor")); got.Untried == "" {
		t.Errorf("nobody holds any: %+v", got)
	}
	l.pay(t, "USDT", stranger("rich"), decimal.NewFromInt(5))
	l.node.Mine(1)
	if got := inspect(""); got.Untried != "" || !habit(got, "answers false") {
		t.Errorf("a recipient of the newest blocks holds some: %+v", got)
	}
	l.call(t, "pause")
	if got := inspect(tronnode.Rich.Text()); !got.Harms || !habit(got, "and has") || !habit(got, "refuses") {
		t.Errorf("it is paused: %+v", got)
	}
	if _, err := l.Inspect(t.Context(), stranger("new"), ""); !errors.Is(err, chains.ErrNoToken) {
		t.Errorf("no contract: %v", err)
	}
	if _, err := l.Inspect(t.Context(), "nobody", ""); !errors.Is(err, chains.ErrFormat) {
		t.Errorf("no address: %v", err)
	}
}
