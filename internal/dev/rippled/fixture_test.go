package rippled

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// newNode starts a node with a sender that holds 10,000 XRP and nothing else.
func newNode(t *testing.T, o Options) (*Node, Key) {
	t.Helper()
	n := Start(t, o)
	sender := KeyOf("sender")
	must(t)(n.Fund(sender.Text(), nil, 10_000*drops))
	n.Close(1)
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

// ask asks the node, and decodes its result.
func ask(t *testing.T, n *Node, method string, params map[string]any, into any) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"method": method, "params": []any{params}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(n.URL, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", method, resp.Status)
	}
	decoder := json.NewDecoder(resp.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&struct{ Result any }{into}); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// sent is a node's answer to submit.
type sent struct {
	Error     string
	Exception string `json:"error_exception"`
	Result    string `json:"engine_result"`
	Available uint32 `json:"account_sequence_available"`
	Queued    bool
	Applied   bool
}

func submit(t *testing.T, n *Node, blob []byte) sent {
	t.Helper()
	var s sent
	ask(t, n, "submit", map[string]any{"tx_blob": hex.EncodeToString(blob)}, &s)
	return s
}

// draft is a payment of a test before it is signed.
type draft struct {
	network       *uint32
	kind          uint16
	flags         uint32
	sequence      uint32
	last          *uint32
	fee, amount   int64
	to            Account
	tag, set      *uint32
	key           Key // that signs
	account       Account
	more          object
	withoutAmount bool
}

// draft is a payment of one XRP to Rich.
func (n *Node) draft(from Key) draft {
	n.mu.Lock()
	defer n.mu.Unlock()
	return draft{network: pointer(uint32(n.network)), kind: payment, flags: fullyCanonical, sequence: n.ahead(from.Account()).get(from.Account()).sequence,
		last: pointer(n.validated().index + 20), fee: 10, amount: drops, to: Rich.Account(), key: from, account: from.Account()}
}

// blob signs a draft, and writes it.
func (d draft) blob() []byte {
	o := append(object{}.uint16(fieldType, d.kind).uint32(fieldFlags, d.flags).uint32(fieldSequence, d.sequence).drops(fieldFee, d.fee).
		blob(fieldKey, d.key.public()).account(fieldAccount, d.account), d.more...)
	for f, v := range map[id]*uint32{fieldNetwork: d.network, fieldLast: d.last, fieldTag: d.tag, fieldSetFlag: d.set} {
		if v != nil {
			o = o.uint32(f, *v)
		}
	}
	if d.kind == payment && !d.withoutAmount {
		o = o.drops(fieldAmount, d.amount)
	}
	if d.to != (Account{}) {
		o = o.account(fieldDestination, d.to)
	}
	return signed(d.key, o)
}

// info is an account as a ledger has it.
type info struct {
	Error string
	Data  struct {
		Balance    string
		Sequence   uint32
		Flags      uint32
		PreviousTx string `json:"PreviousTxnID"`
	} `json:"account_data"`
	Queue struct {
		Count   int    `json:"txn_count"`
		Highest uint32 `json:"highest_sequence"`
	} `json:"queue_data"`
}

func accountAt(t *testing.T, n *Node, account string, ledger any) info {
	t.Helper()
	var i info
	ask(t, n, "account_info", map[string]any{"account": account, "ledger_index": ledger, "queue": ledger == "current"}, &i)
	return i
}

// shown is a transaction in binary.
type shown struct {
	Error       string
	Hash        string
	Blob        string `json:"tx_blob"`
	Meta        string `json:"meta_blob"`
	Ledger      int64  `json:"ledger_index"`
	Validated   bool
	SearchedAll *bool `json:"searched_all"`
}

func transactionOf(t *testing.T, n *Node, txid string) shown {
	t.Helper()
	var s shown
	ask(t, n, "tx", map[string]any{"transaction": txid, "binary": true}, &s)
	return s
}

// resultOf is the result of a transaction in a ledger, as its metadata ends with it.
func resultOf(t *testing.T, n *Node, txid string) uint8 {
	t.Helper()
	s := transactionOf(t, n, txid)
	meta := unhex(t, s.Meta)
	if !s.Validated || len(meta) < 3 || !strings.HasSuffix(strings.ToUpper(s.Meta[:len(s.Meta)-2]), "0310") {
		t.Fatalf("%s: %+v", txid, s)
	}
	return meta[len(meta)-1]
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
