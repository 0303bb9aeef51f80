package tronnode

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestOrderedRefusals(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	raw := n.draft(sender).signed(sender)
	for answer := range injected {
		if err := n.Refuse(string(answer), 1); err != nil {
			t.Fatal(err)
		}
		if a := send(t, n, raw); a.Result || a.Code != string(answer) || a.Message == "" {
			t.Errorf("%s: %+v", answer, a)
		}
	}
	if err := n.Refuse("SUCCESS", 1); err == nil {
		t.Error("SUCCESS is no refusal")
	}
	if a := send(t, n, raw); !a.Result {
		t.Errorf("after all refusals: %+v", a)
	}
}

func TestSwallowedAndDroppedTransactions(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	raw := n.draft(sender).signed(sender)
	n.Swallow(1)
	if a := send(t, n, raw); !a.Result || n.Waiting() != 0 {
		t.Errorf("swallowed: %+v, %d wait", a, n.Waiting())
	}
	if a := send(t, n, raw); !a.Result || n.Waiting() != 1 {
		t.Errorf("sent again: %+v, %d wait", a, n.Waiting())
	}
	n.Drop()
	if got := balance(t, n, "wallet", sender.Text()); n.Waiting() != 0 || got != 10_000*trx {
		t.Errorf("dropped: %d wait, balance %d", n.Waiting(), got)
	}
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	n.Mute(1)
	body, err := json.Marshal(object{"transaction": hex.EncodeToString(n.draft(sender).signed(sender))})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(n.URL+"/wallet/broadcasthex", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusBadGateway || n.Waiting() != 1 {
		t.Errorf("%s, %d wait", resp.Status, n.Waiting())
	}
}

func TestHeldTransactionsExpire(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	n.Hold(true)
	send(t, n, n.draft(sender).signed(sender))
	n.Mine(5)
	if n.Waiting() != 1 {
		t.Fatalf("%d wait", n.Waiting())
	}
	n.Mine(20)
	n.Hold(false)
	n.Mine(1)
	if b := top(t, n); len(b.Transactions) != 0 || n.Waiting() != 0 || balance(t, n, "wallet", KeyOf("stranger").Text()) != 0 {
		t.Errorf("an expired transaction was mined: %+v", b)
	}
}

func TestNodesThatAreDownOrSlow(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	n.Down(true)
	resp, err := http.Get(n.URL + "/wallet/getnowblock")
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%v, %v", resp, err)
	}
	n.Down(false)
	n.Throttle(1)
	if resp, err := http.Get(n.URL + "/wallet/getnowblock"); err != nil || resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%v, %v", resp, err)
	}
	n.Busy(1)
	var busy struct{ Error string }
	ask(t, n, "wallet/getnowblock", object{}, &busy)
	if busy.Error != "class java.lang.IllegalAccessException : lack of computing resources" {
		t.Errorf("%+v", busy)
	}
	n.Delay(30 * time.Millisecond)
	began := time.Now()
	top(t, n)
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
}

func TestKeysAreWanted(t *testing.T) {
	t.Parallel()
	n := Start(t, Options{Key: "the key", Begin: begin})
	for key, want := range map[string]int{"": http.StatusUnauthorized, "another": http.StatusUnauthorized, "the key": http.StatusOK} {
		req, err := http.NewRequest(http.MethodGet, n.URL+"/wallet/getnowblock", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(keyHeader, key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want {
			t.Errorf("with key %q: %s", key, resp.Status)
		}
	}
}

// TestOrders gives each order of README.md from outside.
func TestOrders(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	stranger := KeyOf("stranger").Text()
	var got struct {
		Newest, Solid int64
		Txid          string
	}
	order := func(name string, o devOrder) {
		t.Helper()
		got.Txid = ""
		ask(t, n, "dev/"+name, o, &got)
	}
	order("fund", devOrder{Address: stranger, Sun: 5})
	funded := got.Txid
	order("pay", devOrder{Address: stranger, Token: USDT, Units: 6})
	paid := got.Txid
	order("mine", devOrder{Blocks: 2})
	info(t, n, funded)
	info(t, n, paid)
	if balance(t, n, "wallet", stranger) != 5 || held(t, n, "wallet", stranger) != 6 {
		t.Error("the stranger was not paid")
	}
	order("reorganise", devOrder{Depth: 2, Lose: true})
	if balance(t, n, "wallet", stranger) != 0 {
		t.Error("the payment is still there")
	}
	order("solidify", devOrder{})
	if got.Newest-got.Solid != 19 {
		t.Errorf("%+v", got)
	}
	order("asset", devOrder{Address: stranger, Units: 7})
	order("later", devOrder{MS: 60_000})
	if b := top(t, n); len(b.Transactions) != 1 || b.Transactions[0].TxID == "" {
		t.Errorf("%+v", b)
	}
	for _, name := range []string{"swallow", "mute", "hold", "drop", "delay", "down", "busy", "throttle"} {
		order(name, devOrder{Times: 1})
	}
	order("refuse", devOrder{Code: "SERVER_BUSY", Times: 2})
	if len(n.refusals) != 2 {
		t.Errorf("%d refusals", len(n.refusals))
	}
	for name, body := range map[string]string{"nonsense": "{}", "reorganise": `{"depth":100}`, "fund": `{"address":"x"}`, "refuse": `{"code":"x"}`, "mine": "["} {
		resp, err := http.Post(n.URL+"/dev/"+name, "application/json", strings.NewReader(body))
		if err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v %v", name, resp, err)
		}
	}
	if resp, err := http.Get(n.URL + "/dev/mine"); err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v %v", resp, err)
	}
}

func TestClockMakesBlocks(t *testing.T) {
	t.Parallel()
	n := Start(t, Options{Every: 5 * time.Millisecond})
	first, _ := n.Height()
	deadline := time.Now().Add(20 * time.Second)
	for now := first; now < first+3; now, _ = n.Height() {
		if time.Now().After(deadline) {
			t.Fatal("no blocks come")
		}
	}
}
