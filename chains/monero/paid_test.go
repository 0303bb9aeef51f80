package monero_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/monero"
	"causeway/internal/dev/monerod"
)

// crooked is a wallet server of which the question or the answer of a transfer is changed on the way, or any answer.
type crooked struct {
	question func(destinations []any) []any
	answer   func(result map[string]any)
	told     func(method string, result map[string]any)
}

// serve stands before a real wallet server.
func (c crooked) serve(t *testing.T, real string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		question := map[string]any{}
		if err != nil || json.Unmarshal(raw, &question) != nil {
			t.Errorf("a question %q: %v", raw, err)
		}
		transfer := question["method"] == "transfer"
		if transfer && c.question != nil {
			params := question["params"].(map[string]any)
			params["destinations"] = c.question(params["destinations"].([]any))
			raw, err = json.Marshal(question)
		}
		answer := map[string]any{}
		if err == nil {
			err = post(real+r.URL.Path, raw, &answer)
		}
		if err != nil {
			t.Errorf("%s: %v", question["method"], err)
		}
		result, fine := answer["result"].(map[string]any)
		if fine && transfer && c.answer != nil {
			c.answer(result)
		}
		if fine && c.told != nil {
			c.told(question["method"].(string), result)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func post(url string, question []byte, answer any) error {
	got, err := http.Post(url, "application/json", bytes.NewReader(question))
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }()
	d := json.NewDecoder(got.Body)
	d.UseNumber()
	return d.Decode(answer)
}

// signedBy signs a spend through a crooked server.
func (l *launched) signedBy(t *testing.T, c crooked, spend chains.Spend) (chains.Signed, error) {
	t.Helper()
	cfg := l.config
	cfg.Spender = c.serve(t, cfg.Spender)
	opened, err := monero.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(opened.Close)
	sender, err := monero.NewSender(opened, seed)
	check(t, err)
	d, err := sender.Prepare(t.Context(), spend)
	check(t, err)
	free, err := opened.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	coins, err := d.(chains.Chooser).Choose(free)
	check(t, err)
	return d.Sign(chains.Slot{Number: 1, Coins: coins})
}

// orders pays 1 XMR to the first address, 2 to the second, and so on.
func orders(to ...string) (out chains.Spend) {
	for i, address := range to {
		out.Orders = append(out.Orders, chains.Order{To: address, Token: "XMR", Amount: decimal.NewFromInt(int64(i + 1))})
	}
	return out
}

// TestEachOrderIsPaid: what is signed pays each order, whatever the wallet server was told on the way.
func TestEachOrderIsPaid(t *testing.T) {
	t.Parallel()
	l := launch(t)
	first, second := addresses.Encode("Monero", [32]byte{7}), addresses.Encode("Monero", [32]byte{8})
	var subs []string
	for i := range uint32(2) {
		sub, err := l.Derive(t.Context(), 40+i)
		check(t, err)
		subs = append(subs, sub)
	}
	mixed := orders(first, subs[0], second, subs[1])
	twice := orders(subs[0], subs[0])
	twice.Orders[1].Amount = twice.Orders[0].Amount
	for name, spend := range map[string]chains.Spend{"an address": orders(first), "a subaddress": orders(subs[0]), "addresses": orders(first, second),
		"subaddresses": orders(subs...), "both": mixed, "one address twice": orders(first, first), "the same order twice": twice, "nothing": {Gather: 2}} {
		if signed, err := l.signedBy(t, crooked{}, spend); err != nil || len(signed.Raw) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	elsewhere := func(place int) crooked {
		return crooked{question: func(to []any) []any {
			to[place].(map[string]any)["address"] = l.stranger.Address
			return to
		}}
	}
	for name, c := range map[string]struct {
		spend chains.Spend
		crooked
	}{
		"another address":          {orders(first), elsewhere(1)},
		"another subaddress":       {orders(subs[0]), elsewhere(1)},
		"the last of several":      {mixed, elsewhere(4)},
		"amounts that are mixed":   {orders(first, second), crooked{question: swapped}},
		"one order twice":          {twice, elsewhere(2)},
		"the rest in two":          {orders(first), crooked{question: split}},
		"no secret keys":           {orders(first), crooked{answer: func(told map[string]any) { delete(told, "tx_key") }}},
		"another secret key":       {orders(first), crooked{answer: func(told map[string]any) { told["tx_key"] = strings.Repeat("01", 32) }}},
		"the first key of several": {mixed, crooked{answer: func(told map[string]any) { told["tx_key"] = told["tx_key"].(string)[:64] }}},
	} {
		if signed, err := l.signedBy(t, c.crooked, c.spend); err == nil {
			t.Errorf("%s: transaction %s is signed", name, signed.Txid)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// theRestIsSplit: the rest of a payout comes back in several coins where the hot wallet has one alone.
func theRestIsSplit(t *testing.T) {
	t.Parallel()
	l := launch(t)
	gathered, err := l.signedBy(t, crooked{}, chains.Spend{Gather: monerod.Coins})
	check(t, err)
	for _, step := range []struct {
		signed func() chains.Signed
		coins  int
	}{
		{func() chains.Signed { return gathered }, 1},
		{func() chains.Signed { signed, _ := l.payout(t); return signed }, 4},
	} {
		if outcome, reason := l.sender.Broadcast(t.Context(), step.signed().Raw); outcome != chains.Accepted {
			t.Fatalf("outcome %d: %s", outcome, reason)
		}
		l.node.Mine(t, 10)
		if free, err := l.Unspent(t.Context(), l.node.Height(t)); err != nil || len(free) != step.coins {
			t.Errorf("%+v, %v; want %d coins", free, err, step.coins)
		}
	}
}

// swapped gives the first two orders each other's amount.
func swapped(to []any) []any {
	a, b := to[1].(map[string]any), to[2].(map[string]any)
	a["amount"], b["amount"] = b["amount"], a["amount"]
	return to
}

// split has the rest come back in two outputs.
func split(to []any) []any {
	rest := to[0].(map[string]any)
	rest["amount"] = rest["amount"].(float64) - 1e12
	return append(to, map[string]any{"address": rest["address"], "amount": 1_000_000_000_000})
}
