package rippled

import (
	"encoding/json"
	"net/http"
	"strings"
)

// answer is an object of an answer.
type answer map[string]any

// question are the parameters of the questions that the fake answers.
type question struct {
	APIVersion   int             `json:"api_version"`
	Account      string          `json:"account"`
	LedgerIndex  json.RawMessage `json:"ledger_index"`
	LedgerHash   string          `json:"ledger_hash"`
	Queue        bool            `json:"queue"`
	Transactions bool            `json:"transactions"`
	Expand       bool            `json:"expand"`
	Binary       bool            `json:"binary"`
	Transaction  string          `json:"transaction"`
	MinLedger    int64           `json:"min_ledger"`
	MaxLedger    int64           `json:"max_ledger"`
	IndexMin     int64           `json:"ledger_index_min"`
	IndexMax     int64           `json:"ledger_index_max"`
	Forward      bool            `json:"forward"`
	Limit        int             `json:"limit"`
	Marker       *marker         `json:"marker"`
	Blob         string          `json:"tx_blob"`
	Source       string          `json:"source_account"`
	Destination  string          `json:"destination_account"`
}

// methods answer a question each.
var methods = map[string]func(c *chain, q *question) answer{
	"server_info": serverInfo, "ledger": ledgerOf, "ledger_current": current, "account_info": accountInfo, "account_tx": accountTx,
	"tx": txOf, "submit": submitOf, "fee": feeOf, "deposit_authorized": authorized,
}

// ServeHTTP answers a question of JSON-RPC, or does what a test orders under /dev/.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) { n.serve(w, r, false) }

// serve is ServeHTTP, of a node that has all ledgers if it is whole.
func (n *Node) serve(w http.ResponseWriter, r *http.Request, whole bool) {
	if name, ordered := strings.CutPrefix(r.URL.Path, "/dev/"); ordered {
		n.serveOrder(w, r, name)
		return
	}
	if n.troubled(w, r) {
		return
	}
	var call struct {
		Method string
		Params []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil || r.Method != http.MethodPost {
		http.Error(w, "Unable to parse request", http.StatusBadRequest)
		return
	}
	var q question
	if len(call.Params) > 0 {
		if err := json.Unmarshal(call.Params[0], &q); err != nil {
			write(w, failed("invalidParams", 31, "Invalid parameters.", call.Params[0]))
			return
		}
	}
	method, known := methods[call.Method]
	n.mu.Lock()
	mute := known && call.Method == "submit" && count(&n.mute)
	result := failed("unknownCmd", 32, "Unknown method.", nil)
	if known {
		lost := n.lostTo
		if whole {
			n.lostTo = 0
		}
		result = method(&n.chain, &q)
		n.lostTo = lost
	}
	n.mu.Unlock()
	if mute {
		http.Error(w, "Bad Gateway", http.StatusBadGateway)
		return
	}
	if result["error"] != nil && len(call.Params) > 0 {
		result["request"] = call.Params[0]
	}
	write(w, result)
}

// failed is an answer with an error, by its word and number.
func failed(word string, code int, message string, request json.RawMessage) answer {
	a := answer{"error": word, "error_code": code, "error_message": message, "status": "error"}
	if request != nil {
		a["request"] = request
	}
	return a
}

func invalid(message string) answer { return failed("invalidParams", 31, message, nil) }

func noLedger() answer { return failed("lgrNotFound", 21, "ledgerNotFound", nil) }

func write(w http.ResponseWriter, result answer) {
	if result["status"] == nil {
		result["status"] = "success"
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"result": result})
}
