package rippled

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Version is what the node calls itself: it says that it is no node.
const Version = "causeway-rippled (a fake for tests, not rippled)"

// serverInfo tells of the node, the ledgers that it has, and the prices.
func serverInfo(c *chain, _ *question) answer {
	top := c.validated()
	info := map[string]any{"build_version": Version, "complete_ledgers": c.complete(), "hostid": "FAKE", "io_latency_ms": 1,
		"jq_trans_overflow": "0", "last_close": map[string]any{"converge_time_s": 3, "proposers": 0}, "load_factor": 1, "network_id": c.network,
		"peer_disconnects": "0", "peer_disconnects_resources": "0", "peers": 0, "pubkey_node": "n9KFake", "server_state": "full", "server_state_duration_us": "1000000",
		"state_accounting": map[string]any{"full": map[string]any{"duration_us": "1000000", "transitions": "1"}},
		"time":             time.Unix(int64(top.closed)+epoch, 0).UTC().Format("2006-Jan-02 15:04:05.000000 UTC"), "uptime": 1, "validation_quorum": 1,
		"initial_sync_duration_us": "1", "ports": []any{}}
	if c.unsynced {
		info["server_state"], info["complete_ledgers"] = "connected", "empty"
		return answer{"info": info}
	}
	info["validated_ledger"] = map[string]any{"age": 1, "base_fee_xrp": xrp(c.fee), "hash": hexOf(top.hash[:]), "reserve_base_xrp": xrp(c.reserve),
		"reserve_inc_xrp": xrp(c.increment), "seq": top.index}
	return answer{"info": info}
}

// complete names the ledgers that the node has, as rippled does.
func (c *chain) complete() string {
	top := int64(c.validated().index)
	if c.lostTo == 0 {
		return span(1, top)
	}
	before, after := span(1, int64(c.lostFrom)-1), span(int64(c.lostTo)+1, top)
	switch {
	case before == "" && after == "":
		return "empty"
	case before == "" || after == "":
		return before + after
	}
	return before + "," + after
}

func span(from, to int64) string {
	switch {
	case from > to:
		return ""
	case from == to:
		return decimal(from)
	}
	return decimal(from) + "-" + decimal(to)
}

func xrp(n int64) json.Number { return json.Number(strconv.FormatFloat(float64(n)/drops, 'f', -1, 64)) }

// find returns the ledger that a question names; the open one is nil and true.
func (c *chain) find(q *question) (l *ledger, open bool, fault answer) {
	if q.LedgerHash != "" {
		for _, l := range c.ledgers {
			if hexOf(l.hash[:]) == q.LedgerHash && !c.lost(l.index) {
				return l, false, nil
			}
		}
		return nil, false, noLedger()
	}
	text := string(q.LedgerIndex)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	switch text {
	case "", "current":
		return nil, true, nil
	case "validated", "closed":
		if c.unsynced {
			return nil, false, failed("noNetwork", 17, "InsufficientNetworkMode", nil)
		}
		return c.validated(), false, nil
	}
	index, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, false, invalid("ledgerIndexMalformed")
	}
	if l = c.ledger(index); l == nil {
		return nil, false, noLedger()
	}
	return l, false, nil
}

// ledgerOf tells a ledger, with its transactions in binary if they are asked for.
func ledgerOf(c *chain, q *question) answer {
	l, open, fault := c.find(q)
	switch {
	case fault != nil:
		return fault
	case open:
		return answer{"ledger": map[string]any{"closed": false, "ledger_index": c.open.ledger, "parent_hash": hexOf(c.validated().hash[:])},
			"ledger_current_index": c.open.ledger, "validated": false}
	case q.Transactions && q.Expand && !q.Binary:
		return failed("notSupported", 75, "This fake shows transactions in binary alone.", nil)
	}
	told := map[string]any{"closed": true}
	if q.Binary {
		told["ledger_data"] = hexOf(l.header())
	} else {
		l.print(told, q)
	}
	if q.Transactions {
		told["transactions"] = l.list(q)
	}
	return answer{"ledger": told, "ledger_hash": hexOf(l.hash[:]), "ledger_index": l.index, "validated": true}
}

// print shows the header of a ledger.
func (l *ledger) print(o map[string]any, q *question) {
	at := time.Unix(int64(l.closed)+epoch, 0).UTC()
	for name, h := range map[string][32]byte{"account_hash": l.accounts, "ledger_hash": l.hash, "parent_hash": l.parent, "transaction_hash": l.txs} {
		o[name] = hexOf(h[:])
	}
	o["close_flags"], o["close_time"], o["close_time_resolution"] = 0, l.closed, 10
	o["close_time_human"], o["close_time_iso"] = at.Format("2006-Jan-02 15:04:05.000000000 UTC"), at.Format(time.RFC3339)
	o["parent_close_time"], o["total_coins"], o["ledger_index"] = l.parentClosed, decimal(l.coins), l.index
	if q.APIVersion < 2 {
		o["ledger_index"] = fmt.Sprint(l.index)
	}
}

// list shows the transactions of a ledger, by their ids.
func (l *ledger) list(q *question) []any {
	out := make([]any, len(l.transactions))
	for i, m := range l.transactions {
		switch {
		case !q.Expand:
			out[i] = hexOf(m.id[:])
		case q.APIVersion < 2:
			out[i] = map[string]any{"tx_blob": hexOf(m.blob), "meta": hexOf(m.meta)}
		default:
			out[i] = map[string]any{"tx_blob": hexOf(m.blob), "meta_blob": hexOf(m.meta), "hash": hexOf(m.id[:])}
		}
	}
	return out
}

func current(c *chain, _ *question) answer { return answer{"ledger_current_index": c.open.ledger} }

// txOf tells a transaction in a ledger, in the open one, or waiting for it.
func txOf(c *chain, q *question) answer {
	raw, err := hex.DecodeString(q.Transaction)
	if err != nil || len(raw) != 32 {
		return failed("notImpl", 74, "Not implemented.", nil)
	}
	if (q.MinLedger != 0 || q.MaxLedger != 0) && (q.MinLedger <= 0 || q.MaxLedger < q.MinLedger) {
		return failed("invalidLgrRange", 79, "Ledger range is invalid.", nil)
	}
	if q.MaxLedger-q.MinLedger > 1000 {
		return failed("excessiveLgrRange", 78, "Ledger range exceeds 1000.", nil)
	}
	key := [32]byte(raw)
	if p, done := c.places[key]; done && !c.lost(p.ledger.index) {
		if !q.Binary {
			return failed("notSupported", 75, "This fake shows transactions in binary alone.", nil)
		}
		return p.ledger.printAt(p.at)
	}
	for _, tx := range slices.Concat(c.applied, c.queue, c.held) {
		if tx.id == key {
			return answer{"hash": hexOf(key[:]), "tx_blob": hexOf(tx.blob), "validated": false}
		}
	}
	missing := failed("txnNotFound", 29, "Transaction not found.", nil)
	if q.MaxLedger > 0 {
		missing["searched_all"] = c.has(q.MinLedger, q.MaxLedger)
	}
	return missing
}

// has reports whether the node has all ledgers of a range.
func (c *chain) has(from, to int64) bool {
	for i := from; i <= to; i++ {
		if c.ledger(i) == nil {
			return false
		}
	}
	return true
}

// printAt shows a transaction of a ledger.
func (l *ledger) printAt(at int) answer {
	m := l.transactions[at]
	return answer{"hash": hexOf(m.id[:]), "tx_blob": hexOf(m.blob), "meta_blob": hexOf(m.meta), "ledger_index": l.index, "ledger_hash": hexOf(l.hash[:]),
		"close_time_iso": time.Unix(int64(l.closed)+epoch, 0).UTC().Format(time.RFC3339), "date": l.closed, "validated": true,
		"ctid": fmt.Sprintf("C%07X%04X%04X", l.index, m.index, 0)}
}
