package tronnode

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http"
	"testing"
	"time"
)

// begin is a time for nodes of tests.
var begin = time.UnixMilli(1_780_000_000_000)

// newNode starts a node with a sender that holds money and nothing else.
func newNode(t *testing.T, o Options) (*Node, Key) {
	t.Helper()
	if o.Begin.IsZero() {
		o.Begin = begin
	}
	n := Start(t, o)
	sender := KeyOf("sender")
	must(t)(n.Fund(sender.Text(), 10_000*trx))
	must(t)(n.Pay(USDT, sender.Text(), 5_000*trx))
	n.Mine(1)
	return n, sender
}

func must(t *testing.T) func(txid string, err error) string {
	t.Helper()
	return func(txid string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return txid
	}
}

// ask asks the node, and decodes its answer.
func ask(t *testing.T, n *Node, path string, body, into any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(n.URL+"/"+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, resp.Status)
	}
	decoder := json.NewDecoder(resp.Body)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// shownBlock has the fields of a block that tests read.
type shownBlock struct {
	BlockID string `json:"blockID"`
	Header  struct {
		Raw struct {
			Number, Timestamp int64
			Root              string `json:"txTrieRoot"`
			Parent            string `json:"parentHash"`
			Witness           string `json:"witness_address"`
			Version           int64
		} `json:"raw_data"`
	} `json:"block_header"`
	Transactions []struct {
		TxID      string `json:"txID"`
		RawHex    string `json:"raw_data_hex"`
		Signature []string
		Ret       []struct{ ContractRet string }
	}
}

type shownInfo struct {
	ID             string
	Fee            int64
	Result         string
	ResMessage     string `json:"resMessage"`
	ContractResult []string
	Receipt        struct {
		EnergyUsage int64 `json:"energy_usage"`
		EnergyFee   int64 `json:"energy_fee"`
		EnergyTotal int64 `json:"energy_usage_total"`
		EnergyExtra int64 `json:"energy_penalty_total"`
		NetUsage    int64 `json:"net_usage"`
		NetFee      int64 `json:"net_fee"`
		Result      string
	}
	Log []struct {
		Address string
		Topics  []string
		Data    string
	}
}

func info(t *testing.T, n *Node, txid string) shownInfo {
	t.Helper()
	var i shownInfo
	ask(t, n, "wallet/gettransactioninfobyid", object{"value": txid}, &i)
	if i.ID != txid {
		t.Fatalf("no info of %s: %+v", txid, i)
	}
	return i
}

// answered is a node's answer to a broadcast.
type answered struct {
	Result        bool
	Code, Message string
	TxID          string `json:"txid"`
	Error         string
}

func send(t *testing.T, n *Node, raw []byte) answered {
	t.Helper()
	var a answered
	ask(t, n, "wallet/broadcasthex", object{"transaction": hex.EncodeToString(raw)}, &a)
	return a
}

// draft is a transaction of a test before it is signed.
type draft struct {
	kind       kind
	value      message
	ref        *block
	expiration int64
	feeLimit   int64
	data       []byte
	permission int64
	url        string
	twice      bool
}

// raw writes raw_data.
func (d draft) raw() []byte {
	url := d.url
	if url == "" {
		url = "type.googleapis.com/protocol." + kindNames[d.kind]
	}
	one := message(nil).number(1, int64(d.kind)).bytes(2, message(nil).bytes(1, []byte(url)).bytes(2, d.value)).number(5, d.permission)
	m := message(nil).bytes(1, []byte{byte(d.ref.number >> 8), byte(d.ref.number)}).bytes(4, d.ref.id[8:16]).number(8, d.expiration)
	m = m.bytes(10, d.data).bytes(11, one)
	if d.twice {
		m = m.bytes(11, one)
	}
	return m.number(14, d.ref.time).number(18, d.feeLimit)
}

// signed writes the whole transaction, signed by a key.
func (d draft) signed(key Key) []byte {
	tx, err := readTransaction(message(nil).always(1, d.raw()))
	if err != nil {
		panic(err)
	}
	return message(nil).always(1, d.raw()).always(2, key.sign(tx.id))
}

// draft is a transfer of one TRX to a stranger.
func (n *Node) draft(from Key) draft {
	to := KeyOf("stranger").Address()
	return draft{kind: transfer, ref: n.solid(), expiration: n.head().time + 60_000,
		value: message(nil).bytes(1, bytesOf(from.Address())).bytes(2, bytesOf(to)).number(3, trx)}
}

// transferDraft is a transfer of a token's units to the stranger.
func (n *Node) transferDraft(from Key, units, feeLimit int64) draft {
	data, to, err := n.pack(USDT, "transfer", []any{KeyOf("stranger").Address(), big.NewInt(units)})
	if err != nil {
		panic(err)
	}
	d := n.draft(from)
	d.kind, d.feeLimit = trigger, feeLimit
	d.value = message(nil).bytes(1, bytesOf(from.Address())).bytes(2, bytesOf(to)).bytes(4, data)
	return d
}

func balance(t *testing.T, n *Node, view, address string) int64 {
	t.Helper()
	var a struct{ Balance int64 }
	ask(t, n, view+"/getaccount", object{"address": address, "visible": true}, &a)
	return a.Balance
}

// held asks the token for a balance, as connectors do.
func held(t *testing.T, n *Node, view, address string) int64 {
	t.Helper()
	a, err := Address(address)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Constant []string `json:"constant_result"`
	}
	ask(t, n, view+"/triggerconstantcontract", object{"owner_address": address, "contract_address": USDT, "visible": true,
		"function_selector": "balanceOf(address)", "parameter": hex.EncodeToString(append(make([]byte, 12), a[:]...))}, &got)
	if len(got.Constant) != 1 {
		t.Fatalf("balanceOf: %+v", got)
	}
	return new(big.Int).SetBytes(unhex(got.Constant[0])).Int64()
}
