package rippled

import (
	"encoding/hex"
	"slices"
	"strings"
)

// accountInfo tells an account, as a ledger has it or as the open one would.
func accountInfo(c *chain, q *question) answer {
	account, err := AccountOf(q.Account)
	if err != nil {
		return failed("actMalformed", 35, "Account malformed.", nil)
	}
	l, open, fault := c.find(q)
	if fault != nil {
		return fault
	}
	if q.Queue && !open {
		return invalid("Invalid parameters.")
	}
	out, r := answer{"validated": !open}, root{}
	if open {
		r = c.open.get(account)
		out["ledger_current_index"] = c.open.ledger
	} else {
		r = c.at(account, l.index)
		out["ledger_index"], out["ledger_hash"] = l.index, hexOf(l.hash[:])
	}
	if !r.exists {
		missing := failed("actNotFound", 19, "Account not found.", nil)
		missing["account"] = q.Account
		return missing
	}
	out["account_data"], out["account_flags"] = r.print(account), r.flagNames()
	if q.Queue {
		out["queue_data"] = c.queued(account)
	}
	return out
}

// authorized tells whether an account takes money of another. No account of the fake names others that it takes money of.
func authorized(c *chain, q *question) answer {
	source, err := AccountOf(q.Source)
	destination, wrong := AccountOf(q.Destination)
	l, open, fault := c.find(q)
	switch {
	case err != nil || wrong != nil:
		return failed("actMalformed", 35, "Account malformed.", nil)
	case fault != nil:
		return fault
	case open:
		return invalid("This fake answers of ledgers alone.")
	case !c.at(source, l.index).exists:
		return failed("srcActNotFound", 18, "Source account not found.", nil)
	case !c.at(destination, l.index).exists:
		return failed("dstActNotFound", 51, "Destination account not found.", nil)
	}
	return answer{"deposit_authorized": source == destination || c.at(destination, l.index).flags&flagDepositAuth == 0, "source_account": q.Source,
		"destination_account": q.Destination, "ledger_index": l.index, "ledger_hash": hexOf(l.hash[:]), "validated": true}
}

func (r root) print(a Account) map[string]any {
	key := half("\x00a", a[:])
	return map[string]any{"Account": a.String(), "Balance": decimal(r.balance), "Flags": r.flags, "LedgerEntryType": "AccountRoot",
		"OwnerCount": r.owners, "PreviousTxnID": hexOf(r.prevTx[:]), "PreviousTxnLgrSeq": r.prevIn, "Sequence": r.sequence, "index": hexOf(key[:])}
}

func (r root) flagNames() map[string]bool {
	return map[string]bool{"depositAuth": r.flags&flagDepositAuth != 0, "disableMasterKey": r.flags&flagNoMaster != 0,
		"disallowIncomingXRP": r.flags&flagDisallowXRP != 0, "requireDestinationTag": r.flags&flagRequireTag != 0,
		"passwordSpent": r.flags&flagPasswordSpent != 0}
}

// queued tells what an account has in the queue.
func (c *chain) queued(a Account) map[string]any {
	var own []map[string]any
	low, high, total := uint32(0), uint32(0), int64(0)
	for _, q := range c.queue {
		if q.account != a {
			continue
		}
		if low == 0 {
			low = q.sequence
		}
		high, total = q.sequence, total+q.fee+max(q.amount, 0)
		one := map[string]any{"auth_change": false, "fee": decimal(q.fee), "fee_level": decimal(q.fee * 256 / c.fee),
			"max_spend_drops": decimal(q.fee + max(q.amount, 0)), "seq": q.sequence}
		if q.last != nil {
			one["LastLedgerSequence"] = *q.last
		}
		own = append(own, one)
	}
	out := map[string]any{"txn_count": len(own)}
	if len(own) > 0 {
		out["auth_change_queued"], out["lowest_sequence"], out["highest_sequence"] = false, low, high
		out["max_spend_drops_total"], out["transactions"] = decimal(total), own
	}
	return out
}

// marker is where the next page of account_tx begins.
type marker struct {
	Ledger int64 `json:"ledger"`
	Seq    int   `json:"seq"`
}

// mostListed is how many transactions a page of account_tx has.
const mostListed = 200

// accountTx lists the transactions of an account, in pages.
func accountTx(c *chain, q *question) answer {
	account, err := AccountOf(q.Account)
	if err != nil {
		return failed("actMalformed", 35, "Account malformed.", nil)
	}
	if !q.Binary {
		return failed("notSupported", 75, "This fake shows transactions in binary alone.", nil)
	}
	from, to := max(q.IndexMin, 1), int64(c.validated().index)
	if q.IndexMax > 0 {
		to = min(to, q.IndexMax)
	}
	if !c.has(from, to) || from > to {
		return failed("lgrIdxsInvalid", 57, "Ledger indexes invalid.", nil)
	}
	limit := mostListed
	if q.Limit > 0 {
		limit = min(limit, q.Limit)
	}
	out := answer{"account": q.Account, "ledger_index_min": from, "ledger_index_max": to, "limit": limit, "validated": true}
	all, next := c.page(account, from, to, q, limit)
	if out["transactions"] = all; next != nil {
		out["marker"] = next
	}
	return out
}

// page lists up to limit transactions from where a marker says, and where the next page begins.
func (c *chain) page(account Account, from, to int64, q *question, limit int) (out []any, next *marker) {
	out = []any{}
	for i := range to - from + 1 {
		index := to - i
		if q.Forward {
			index = from + i
		}
		if m := q.Marker; m != nil && (q.Forward && index < m.Ledger || !q.Forward && index > m.Ledger) {
			continue
		}
		l := c.ledgers[index-1]
		in := slices.Clone(l.transactions)
		slices.SortFunc(in, func(a, b mined) int {
			if q.Forward {
				return int(a.index) - int(b.index)
			}
			return int(b.index) - int(a.index)
		})
		for at, m := range in {
			if q.Marker != nil && index == q.Marker.Ledger && at < q.Marker.Seq || !m.touches()[account] {
				continue
			}
			if len(out) == limit {
				return out, &marker{index, at}
			}
			one := l.printAt(slices.IndexFunc(l.transactions, func(o mined) bool { return o.id == m.id }))
			out = append(out, map[string]any(one))
		}
	}
	return out, nil
}

// submitOf takes a transaction.
func submitOf(c *chain, q *question) answer {
	blob, err := hex.DecodeString(q.Blob)
	if err != nil || len(blob) == 0 {
		return invalid("Invalid parameters.")
	}
	tx, err := readTransaction(blob)
	if err != nil {
		bad := failed("invalidTransaction", 76, "", nil)
		bad["error_exception"] = err.Error()
		return bad
	}
	if !verifies(tx.key, tx.signature, tx.signing) {
		bad := failed("invalidTransaction", 76, "", nil)
		bad["error_exception"] = "fails local checks: Invalid signature."
		return bad
	}
	result := c.take(tx)
	next := c.open.get(tx.account).sequence
	return answer{"accepted": claimed(result) || strings.HasPrefix(result, "ter"), "account_sequence_available": c.ahead(tx.account).get(tx.account).sequence,
		"account_sequence_next": next, "applied": claimed(result), "broadcast": claimed(result), "engine_result": result,
		"engine_result_code": codes[result], "engine_result_message": messages[result], "kept": claimed(result) || strings.HasPrefix(result, "ter"),
		"open_ledger_cost": decimal(c.openFee), "queued": result == terQUEUED, "tx_blob": hexOf(blob), "tx_json": tx.print(),
		"validated_ledger_index": c.validated().index}
}

// messages are what is said of results. The others have their code alone.
var messages = map[string]string{tesSUCCESS: "The transaction was applied. Only final in a validated ledger.",
	terQUEUED: "Held until escalated fee drops.", tefPASTSEQ: "This sequence number has already passed.", tefMAXLEDGER: "Ledger sequence too high.",
	telINSUFFEEP: "Fee insufficient."}

// take submits a transaction, unless a test has ordered something else.
func (c *chain) take(tx *transaction) string {
	if len(c.refusals) > 0 {
		next := c.refusals[0]
		c.refusals = c.refusals[1:]
		return next
	}
	if c.swall > 0 {
		c.swall--
		return tesSUCCESS
	}
	return c.submit(tx)
}

// feeOf tells what the open ledger costs.
func feeOf(c *chain, _ *question) answer {
	level := func(n int64) string { return decimal(n * 256 / c.fee) }
	return answer{"current_ledger_size": decimal(int64(len(c.applied))), "current_queue_size": decimal(int64(len(c.queue))),
		"drops": map[string]any{"base_fee": decimal(c.fee), "median_fee": decimal(c.fee * 500), "minimum_fee": decimal(c.minimum),
			"open_ledger_fee": decimal(c.openFee)},
		"expected_ledger_size": "32", "ledger_current_index": c.open.ledger, "max_queue_size": "2000",
		"levels": map[string]any{"median_level": level(c.fee * 500), "minimum_level": level(c.minimum), "open_ledger_level": level(c.openFee),
			"reference_level": "256"}}
}
