package rippled

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTheQueue: what the open ledger costs too much for waits, up to ten of an account, and a dearer one replaces one in it.
func TestTheQueue(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	n.Load(1_000, 0)
	first := n.draft(sender)
	for i := range mostQueued {
		d := n.draft(sender)
		if d.sequence != first.sequence+uint32(i) {
			t.Fatalf("number %d is next, want %d", d.sequence, first.sequence+uint32(i))
		}
		if s := submit(t, n, d.blob()); s.Result != terQUEUED || !s.Queued || s.Available != d.sequence+1 {
			t.Fatalf("%+v", s)
		}
	}
	if s := submit(t, n, n.draft(sender).blob()); s.Result != telQUEUEFULL {
		t.Errorf("%+v", s)
	}
	if now := accountAt(t, n, sender.Text(), "current"); now.Queue.Count != mostQueued || now.Queue.Highest != first.sequence+mostQueued-1 || now.Data.Sequence != first.sequence {
		t.Errorf("%+v", now)
	}
	again := first
	for fee, want := range map[int64]string{12: telQUEUEFEE, 13: terQUEUED} {
		again.fee = fee
		if s := submit(t, n, again.blob()); s.Result != want {
			t.Errorf("for %d: %+v, want %s", fee, s, want)
		}
	}
	n.Close(1)
	if now := accountAt(t, n, sender.Text(), "validated"); now.Data.Sequence != first.sequence {
		t.Errorf("a ledger with another price has %+v", now)
	}
	n.Load(0, 0)
	n.Close(1)
	if now := accountAt(t, n, sender.Text(), "validated"); now.Data.Sequence != first.sequence+mostQueued || n.Waiting() != 0 {
		t.Errorf("%+v, and %d wait", now, n.Waiting())
	}
}

// TestLastLedgers: what is held back until its last ledger has passed is never in one.
func TestLastLedgers(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	d := n.draft(sender)
	d.last = pointer(uint32(n.Height()) + 3)
	n.Hold(true)
	submit(t, n, d.blob())
	if n.Close(2); n.Waiting() != 1 {
		t.Fatalf("%d wait", n.Waiting())
	}
	n.Close(1)
	n.Hold(false)
	if n.Close(2); n.Waiting() != 0 {
		t.Errorf("%d wait", n.Waiting())
	}
	tx, _ := readTransaction(d.blob())
	var s shown
	ask(t, n, "tx", map[string]any{"transaction": hexOf(tx.id[:]), "binary": true, "min_ledger": 1, "max_ledger": n.Height()}, &s)
	if s.Error != "txnNotFound" || s.SearchedAll == nil || !*s.SearchedAll {
		t.Errorf("%+v", s)
	}
}

// TestGapsAreTold: a node without some ledgers says so in everything that it answers.
func TestGapsAreTold(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	n.Close(5)
	n.Lose(3, 4)
	var i struct {
		Info struct {
			Complete  string `json:"complete_ledgers"`
			Validated any    `json:"validated_ledger"`
		}
	}
	if ask(t, n, "server_info", nil, &i); i.Info.Complete != "1-2,5-"+decimal(n.Height()) {
		t.Errorf("%+v", i)
	}
	if l := ledgerAt(t, n, 3); l.Error != "lgrNotFound" {
		t.Errorf("%+v", l)
	}
	var s shown
	ask(t, n, "tx", map[string]any{"transaction": strings.Repeat("AB", 32), "binary": true, "min_ledger": 1, "max_ledger": n.Height()}, &s)
	if s.SearchedAll == nil || *s.SearchedAll {
		t.Errorf("%+v", s)
	}
	n.Unsync(true)
	i.Info.Validated = nil
	if ask(t, n, "server_info", nil, &i); i.Info.Complete != "empty" || i.Info.Validated != nil {
		t.Errorf("%+v", i)
	}
	if l := ledgerAt(t, n, "validated"); l.Error != "noNetwork" {
		t.Errorf("%+v", l)
	}
}

// TestOrderedTrouble: refusals, answers that are lost, and what is forgotten.
func TestOrderedTrouble(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	blob := n.draft(sender).blob()
	n.Refuse("telCAN_NOT_QUEUE", 1)
	if s := submit(t, n, blob); s.Result != "telCAN_NOT_QUEUE" {
		t.Errorf("%+v", s)
	}
	n.Swallow(1)
	if s := submit(t, n, blob); s.Result != tesSUCCESS || n.Waiting() != 0 {
		t.Errorf("swallowed: %+v, %d wait", s, n.Waiting())
	}
	n.Mute(1)
	body, _ := json.Marshal(map[string]any{"method": "submit", "params": []any{map[string]any{"tx_blob": hexOf(blob)}}})
	resp, err := http.Post(n.URL, "application/json", strings.NewReader(string(body)))
	if err != nil || resp.StatusCode != http.StatusBadGateway || n.Waiting() != 1 {
		t.Errorf("%v, %v, %d wait", resp, err, n.Waiting())
	}
	if n.Drop(); n.Waiting() != 0 {
		t.Errorf("%d wait", n.Waiting())
	}
	for _, order := range []func(){func() { n.Down(true) }, func() { n.Down(false); n.Throttle(1) }} {
		order()
		if resp, err := http.Post(n.URL, "application/json", strings.NewReader("{}")); err != nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%v, %v", resp, err)
		}
	}
	n.Delay(20 * time.Millisecond)
	began := time.Now()
	if ledgerAt(t, n, 1); time.Since(began) < 20*time.Millisecond {
		t.Error("it answers at once")
	}
}

// TestOrders gives orders as another process does.
func TestOrders(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	to := KeyOf("receiver").Text()
	order := func(name, body string) *http.Response {
		resp, err := http.Post(n.URL+"/dev/"+name, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for _, o := range [][2]string{
		{"fund", `{"address":"` + to + `","drops":5000000,"tag":7}`}, {"close", `{"ledgers":2}`}, {"partly", `{"address":"` + to + `","drops":9,"delivered":1}`},
		{"issued", `{"address":"` + to + `","units":9}`}, {"vain", `{"address":"` + to + `","drops":9}`}, {"escrow", `{"address":"` + to + `","drops":9}`},
		{"refuse", `{"code":"telINSUF_FEE_P"}`}, {"swallow", `{}`}, {"mute", `{}`}, {"hold", `{"on":true}`}, {"drop", ``}, {"load", `{"drops":20}`},
		{"lose", `{"from":2,"to":3}`}, {"unsync", `{"on":false}`}, {"delay", `{"ms":0}`}, {"throttle", `{"times":1}`}, {"down", `{"on":true}`},
	} {
		if resp := order(o[0], o[1]); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", o[0], resp.Status)
		}
	}
	for _, o := range [][2]string{{"nonsense", `{}`}, {"fund", `{"address":"x"}`}, {"close", `[`}} {
		if resp := order(o[0], o[1]); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", o[0], resp.Status)
		}
	}
}

// TestTheClockMakesLedgers: a node with a clock makes them by itself.
func TestTheClockMakesLedgers(t *testing.T) {
	t.Parallel()
	n := Start(t, Options{Every: time.Millisecond})
	begin := n.Height()
	for deadline := time.Now().Add(time.Minute); n.Height() < begin+3; {
		if time.Now().After(deadline) {
			t.Fatal("no ledger is made")
		}
	}
}
