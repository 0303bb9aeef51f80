package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
	xrpl "causeway/chains/ripple/client"
)

const (
	rippleFirst    = 90_000_000 // the last ledger before the first replayed one
	rippleTxs      = 200        // of a ledger
	ripplePayments = 80         // of them, all of XRP; the others are offers
	rippleKept     = 450        // answers of older ledgers are forgotten
	ripplePeriod   = 4          // seconds between two ledgers
	rippleEpoch    = 946_684_800
)

// rippleReplay is a chain of ledgers. Hashes and roots are as they should be: the connector computes them.
type rippleReplay struct {
	*following
	xpub    string
	drops   int64
	ledgers []rippleLedger // from rippleFirst on
}

// rippleLedger has the answers about a ledger.
type rippleLedger struct {
	hash   xrpl.Hash
	closed uint32
	header string
	whole  []byte // with its transactions
}

func newRippleReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	if f.shared, err = addresses.FromXPub(f.network, xpub, 0); err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	r := &rippleReplay{following: f, xpub: xpub, drops: amount.Shift(6).IntPart()}
	begin := time.Now().Unix() - rippleEpoch - 3600
	r.append(rippleLedger{closed: uint32(begin)}, xrpl.Hash{}, xrpl.Hash(random(32)), nil) //nolint:gosec // of this century
	return r, nil
}

func (r *rippleReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, xpub: %s, stale_after: 24h}\n", r.network, url, r.xpub)
}

func (r *rippleReplay) height() int64 { return rippleFirst + int64(len(r.ledgers)) - 1 }

// append closes a ledger with transactions, as JSON, below their root.
func (r *rippleReplay) append(l rippleLedger, root, parent xrpl.Hash, txs []byte) {
	index := rippleFirst + len(r.ledgers)
	data := binary.BigEndian.AppendUint32(nil, uint32(index)) //nolint:gosec // a few beyond the first
	data = binary.BigEndian.AppendUint64(data, 99_987_654_321_000_000)
	data = append(append(append(data, parent[:]...), root[:]...), random(32)...)
	data = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(data, l.closed-ripplePeriod), l.closed)
	data = append(data, 10, 0)
	l.hash = xrpl.Half(xrpl.PrefixLedger, data)
	l.header = fmt.Sprintf(`{"result":{"ledger_hash":"%s","ledger_index":%d,"validated":true,"status":"success","ledger":{"closed":true,"ledger_data":"%X"`, l.hash, index, data)
	l.whole = fmt.Appendf(nil, `%s,"transactions":[%s]}}}`, l.header, txs)
	r.ledgers = append(r.ledgers, l)
	if old := len(r.ledgers) - rippleKept; old > 0 {
		r.ledgers[old].whole = nil
	}
}

func (r *rippleReplay) add(pays []payee) {
	before := r.ledgers[len(r.ledgers)-1]
	var txs bytes.Buffer
	leaves := make([]rippleLeaf, rippleTxs)
	for i := range leaves {
		var blob, meta []byte
		switch {
		case i < len(pays):
			to, _ := addresses.RippleAccount(pays[i].address) // made here
			blob, meta = ripplePayment(to, pays[i].memo, r.drops, i)
		case i < ripplePayments:
			blob, meta = ripplePayment([20]byte(random(20)), strconv.Itoa(100_000+i), 1_234_567, i)
		default:
			blob, meta = rippleOffer(i)
		}
		id := xrpl.Half(xrpl.PrefixTransaction, blob)
		leaves[i] = rippleLeaf{id, xrpl.Half(xrpl.PrefixLeaf, rippleLength(len(blob)), blob, rippleLength(len(meta)), meta, id[:])}
		comma(&txs, i)
		fmt.Fprintf(&txs, `{"hash":"%s","meta_blob":"%X","tx_blob":"%X"}`, id, meta, blob)
	}
	slices.SortFunc(leaves, func(a, b rippleLeaf) int { return bytes.Compare(a.id[:], b.id[:]) })
	r.append(rippleLedger{closed: before.closed + ripplePeriod}, rippleRoot(leaves, 0), before.hash, txs.Bytes())
}

// rippleLeaf is a transaction in the tree of its ledger.
type rippleLeaf struct{ id, hash xrpl.Hash }

// rippleRoot is the hash of the node over leaves in their order, which have their first digits in common.
func rippleRoot(leaves []rippleLeaf, depth int) xrpl.Hash {
	var below [16]xrpl.Hash
	digit := func(l rippleLeaf) byte { return hex.EncodeToString(l.id[:])[depth] }
	for len(leaves) > 0 {
		n := 1
		for n < len(leaves) && digit(leaves[n]) == digit(leaves[0]) {
			n++
		}
		place, _ := strconv.ParseUint(string(digit(leaves[0])), 16, 8) // a digit
		if below[place] = leaves[0].hash; n > 1 {
			below[place] = rippleRoot(leaves[:n], depth+1)
		}
		leaves = leaves[n:]
	}
	var parts []byte
	for i := range below {
		parts = append(parts, below[i][:]...)
	}
	return xrpl.Half(xrpl.PrefixInner, parts)
}

func (r *rippleReplay) questions(height int64) []string {
	return []string{fmt.Sprintf(` {"method":"ledger","params":[{"api_version":2,"ledger_index":%d,"binary":true,"transactions":true,"expand":true}]}`, height)}
}

// answer is of JSON-RPC 2.0: nobody asks so here.
func (r *rippleReplay) answer(int64, string, []json.RawMessage) ([][]byte, string) {
	return nil, `"none"`
}

// answerAt answers a question in the form of a rippled.
func (r *rippleReplay) answerAt(top int64, _ string, body []byte) [][]byte {
	var asked struct {
		Method string
		Params []struct {
			Ledger       json.RawMessage `json:"ledger_index"`
			Transactions bool
		}
	}
	if json.Unmarshal(body, &asked) != nil || len(asked.Params) != 1 {
		return nil
	}
	switch asked.Method {
	case "server_info":
		return [][]byte{fmt.Appendf(nil, `{"result":{"status":"success","info":{"network_id":0,"server_state":"full","complete_ledgers":"%d-%d",`+
			`"validated_ledger":{"base_fee_xrp":0.00001,"reserve_base_xrp":1,"reserve_inc_xrp":0.2}}}}`, rippleFirst, top)}
	case "ledger":
		height, err := strconv.ParseInt(string(asked.Params[0].Ledger), 10, 64)
		if err != nil {
			height = top
		}
		switch {
		case height < rippleFirst || height > top:
			return [][]byte{[]byte(`{"result":{"status":"error","error":"lgrNotFound"}}`)}
		case asked.Params[0].Transactions:
			return [][]byte{r.ledgers[height-rippleFirst].whole}
		}
		return [][]byte{[]byte(r.ledgers[height-rippleFirst].header), []byte(`}}}`)}
	case "account_info":
		return [][]byte{[]byte(`{"result":{"status":"error","error":"actNotFound"}}`)}
	}
	return [][]byte{[]byte(`{"result":{"status":"error","error":"unknownCmd"}}`)}
}
