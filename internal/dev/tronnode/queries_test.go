package tronnode

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// get asks without a body.
func get(t *testing.T, n *Node, path string) string {
	t.Helper()
	resp, err := http.Get(n.URL + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(body))
}

func TestBlocksAreFoundByAll(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	send(t, n, n.draft(sender).signed(sender))
	height := n.Mine(1)
	id, number := top(t, n).BlockID, decimal(height)
	for path, body := range map[string]object{
		"getblockbynum": {"num": height}, "getblockbyid": {"value": id}, "getblock": {"id_or_num": id, "detail": true}, "getnowblock": {},
	} {
		var b shownBlock
		ask(t, n, "wallet/"+path, body, &b)
		if b.BlockID != id || len(b.Transactions) != 1 {
			t.Errorf("%s: %+v", path, b)
		}
	}
	for path, count := range map[string]int{
		"getblockbylimitnext?startNum=0&endNum=3": 3, "getblockbylatestnum?num=5": 5, "getblockbylimitnext?startNum=" + number + "&endNum=" + number + "9": 0,
		"getblockbylimitnext?startNum=3&endNum=3": 0, "getblockbylatestnum?num=101": 0, "getblockbylatestnum?num=0": 0,
		"getblockbylimitnext?startNum=" + number + "&endNum=" + decimal(height+9): 1, "getblockbylimitnext?startNum=9999&endNum=10000": 0,
	} {
		var list struct{ Block []shownBlock }
		text := get(t, n, "wallet/"+path)
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Block) != count {
			t.Errorf("%s: %d blocks, %v", path, len(list.Block), err)
		}
	}
	if first := get(t, n, "wallet/getblockbynum?num=0"); !strings.Contains(first, n.GenesisID()) {
		t.Errorf("the first block: %s", first)
	}
}

func TestAnswersAboutNothing(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	nobody := hexOf(KeyOf("nobody").Address())
	for path, want := range map[string]string{
		"wallet/getblockbynum?num=99999":                                     "{}",
		"walletsolidity/getblockbynum?num=25":                                "{}",
		"wallet/getblockbyid?value=00":                                       "{}",
		"wallet/getblockbyid?value=" + strings.Repeat("0", 64):               "{}",
		"wallet/gettransactionbyid?value=" + strings.Repeat("ab", 32):        "{}",
		"wallet/gettransactionbyid?value=ab":                                 "{}",
		"wallet/gettransactioninfobyid?value=" + strings.Repeat("ab", 32):    "{}",
		"wallet/gettransactioninfobyblocknum?num=0":                          "{}",
		"wallet/gettransactioninfobyblocknum?num=1":                          "[]",
		"wallet/gettransactionfrompending?value=" + strings.Repeat("ab", 32): "{}",
		"wallet/getaccount?address=" + nobody:                                "{}",
		"wallet/getaccount":                                                  "{}",
		"wallet/getaccountresource?address=" + nobody:                        "{}",
		"wallet/getcontract?value=" + nobody:                                 "{}",
		"wallet/getcontractinfo?value=" + nobody:                             "{}",
		"wallet/getbandwidthprices":                                          `{"prices":"0:1000"}`,
		"wallet/nonsense":                                                    "404 page not found",
		"walletsolidity/broadcasthex":                                        "404 page not found",
	} {
		if got := get(t, n, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"wallet/getaccount?address=xyz", "wallet/getaccount?visible=true&address=" + nobody} {
		if got := get(t, n, path); !strings.Contains(got, "JsonFormat$ParseException") {
			t.Errorf("%s: %s", path, got)
		}
	}
	resp, err := http.Post(n.URL+"/wallet/getaccount", "application/json", strings.NewReader("["))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "JSONException") {
		t.Errorf("no object: %s, %v", body, err)
	}
}

func TestWaitingTransactionsAreShown(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	a := send(t, n, n.draft(sender).signed(sender))
	for _, path := range []string{"wallet/gettransactionfrompending", "wallet/gettransactionbyid"} {
		var shown struct {
			TxID string `json:"txID"`
		}
		ask(t, n, path, object{"value": a.TxID}, &shown)
		if shown.TxID != a.TxID {
			t.Errorf("%s: %+v", path, shown)
		}
	}
	if got := get(t, n, "walletsolidity/gettransactionbyid?value="+a.TxID); got != "{}" {
		t.Errorf("solid: %s", got)
	}
	if got := get(t, n, "wallet/gettransactioninfobyid?value="+a.TxID); got != "{}" {
		t.Errorf("info: %s", got)
	}
}

func TestNodeSaysThatItIsAFake(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	if got := get(t, n, "wallet/getnodeinfo"); !strings.Contains(got, "a fake for tests, not java-tron") {
		t.Error(got)
	}
}

func TestOtherNamesAreOtherChains(t *testing.T) {
	t.Parallel()
	one, two, same := Start(t, Options{Begin: begin}), Start(t, Options{Begin: begin, Name: "two"}), Start(t, Options{Begin: begin})
	if one.GenesisID() == two.GenesisID() || one.GenesisID() != same.GenesisID() || top(t, one).BlockID != top(t, same).BlockID {
		t.Errorf("first blocks %s, %s, %s", one.GenesisID(), two.GenesisID(), same.GenesisID())
	}
}

func TestStakedBandwidth(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	a := send(t, n, stakeDraft(n, sender, freeze, message(nil).number(2, 2_000*trx)).signed(sender))
	n.Mine(1)
	if !a.Result || resources(t, n, sender).NetLimit != 3_199 { // of 3,200, less its own weight
		t.Fatalf("%+v, %+v", a, resources(t, n, sender))
	}
	first := settle(t, n, send(t, n, n.draft(sender).signed(sender)).TxID)
	if first.Fee != trx || first.Receipt.NetUsage == 0 || resources(t, n, sender).NetUsed < first.Receipt.NetUsage-2 {
		t.Errorf("an activation out of the stake: %+v", first)
	}
	if second := settle(t, n, must(t)(n.Send(sender, Rich.Text(), 1))); second.Fee != 0 || second.Receipt.NetUsage == 0 {
		t.Errorf("a transfer out of the stake: %+v", second)
	}
	estimate := object{"owner_address": sender.Text(), "contract_address": USDT, "visible": true, "function_selector": "pause()"}
	var answer struct {
		Result struct{ Code, Message string }
	}
	ask(t, n, "wallet/estimateenergy", estimate, &answer)
	if answer.Result.Code != "CONTRACT_EXE_ERROR" || answer.Result.Message != "REVERT opcode executed" {
		t.Errorf("an estimate of a call that fails: %+v", answer)
	}
	estimate["contract_address"] = KeyOf("nobody").Text()
	ask(t, n, "wallet/estimateenergy", estimate, &answer)
	if answer.Result.Code != string(invalidError) {
		t.Errorf("an estimate of no contract: %+v", answer)
	}
	delete(estimate, "owner_address")
	for _, path := range []string{"wallet/estimateenergy", "wallet/triggerconstantcontract"} {
		ask(t, n, path, estimate, &answer)
		if answer.Result.Code != "OTHER_ERROR" {
			t.Errorf("%s without an owner: %+v", path, answer)
		}
	}
}
