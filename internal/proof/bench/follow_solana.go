package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mr-tron/base58"
	"github.com/shopspring/decimal"

	"causeway/chains/solana"
)

const (
	solanaSlots  = 16         // of a block of ours, all of them with a block
	solanaFirst  = 20_000_000 // the last block of ours before the first replayed one
	solanaPeriod = 400 * time.Millisecond
	solanaSystem = "11111111111111111111111111111111"
	solanaTokens = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	solanaAtOnce = 100 // accounts in one question
)

// solanaReplay is the word of a node of Solana about our accounts. Nobody reads whole blocks there, so all others are left out.
type solanaReplay struct {
	*following
	xpub     string
	lamports int64
	mints    map[string]string // the account of each mint, as JSON
	begin    time.Time
	groups   int64
	paid     map[string][]solanaPayment // by address, the oldest first
	byID     map[string][]byte          // transactions, as JSON
}

// solanaPayment is a payment to an address, and what this holds then.
type solanaPayment struct {
	id          string
	group, held int64
}

func newSolanaReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	r := &solanaReplay{following: f, xpub: xpub, lamports: amount.Shift(9).IntPart(), mints: map[string]string{}, begin: time.Now().Add(-time.Hour),
		paid: map[string][]solanaPayment{}, byID: map[string][]byte{}}
	for _, t := range f.catalogue {
		if t.Network == f.network && t.Contract != "" {
			data := make([]byte, 82)
			data[44], data[45] = byte(t.Decimals), 1 //nolint:gosec // of the catalogue
			r.mints[t.Contract] = solanaAccount(1_461_600, solanaTokens, data)
		}
	}
	return r, nil
}

// solanaAccount is an account, as JSON.
func solanaAccount(lamports int64, owner string, data []byte) string {
	return fmt.Sprintf(`{"lamports":%d,"owner":"%s","data":["%s","base64"],"executable":false,"rentEpoch":18446744073709551615,"space":%d}`, lamports, owner,
		base64.StdEncoding.EncodeToString(data), len(data))
}

func (r *solanaReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, xpub: %s, stale_after: 24h}\n", r.network, url, r.xpub)
}

func (r *solanaReplay) height() int64 { return solanaFirst + r.groups }

// lastSlot is the last slot of a block of ours.
func lastSlot(group int64) int64 { return (group+1)*solanaSlots - 1 }

func (r *solanaReplay) add(pays []payee) {
	r.groups++
	for i, payee := range pays {
		to := payee.address
		id, held, slot := base58.Encode(append([]byte{1}, random(63)...)), int64(0), r.height()*solanaSlots+int64(i)
		if before := r.paid[to]; len(before) > 0 {
			held = before[len(before)-1].held
		}
		r.paid[to] = append(r.paid[to], solanaPayment{id, r.height(), held + r.lamports})
		r.byID[id] = fmt.Appendf(nil, `{"slot":%d,"blockTime":%d,"version":"legacy","transaction":{"signatures":["%s"],"message":{"accountKeys":["%s","%s","%s"],"header":{"numRequiredSignatures":1,`+
			`"numReadonlySignedAccounts":0,"numReadonlyUnsignedAccounts":1},"recentBlockhash":"%s","instructions":[]}},"meta":{"err":null,"fee":5000,"preBalances":[90000000000,%d,1],`+
			`"postBalances":[%d,%d,1],"preTokenBalances":[],"postTokenBalances":[],"innerInstructions":[],"logMessages":[],"loadedAddresses":{"writable":[],"readonly":[]}}}`, slot, r.timeOf(slot), id,
			base58.Encode(random(32)), to, solanaSystem, base58.Encode(random(32)), held, 90_000_000_000-5000-r.lamports, held+r.lamports)
	}
}

func (r *solanaReplay) timeOf(slot int64) int64 {
	return r.begin.Add(time.Duration(slot-lastSlot(solanaFirst)) * solanaPeriod).Unix()
}

// questions are one for each hundred accounts.
func (r *solanaReplay) questions(height int64) (out []string) {
	names := make([]string, solanaAtOnce)
	for i := range names {
		names[i] = fmt.Sprintf("%q", r.address(i))
	}
	q := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"getMultipleAccounts","params":[[%s],{"commitment":"finalized","encoding":"base64","minContextSlot":%d}]}`,
		strings.Join(names, ","), lastSlot(height))
	for range r.addresses * (1 + len(r.mints)) / solanaAtOnce {
		out = append(out, q)
	}
	return out
}

func (r *solanaReplay) answer(top int64, method string, params []json.RawMessage) ([][]byte, string) {
	switch method {
	case "getGenesisHash":
		return [][]byte{fmt.Appendf(nil, "%q", solana.Mainnet)}, ""
	case "getSlot", "getBlockHeight":
		return [][]byte{fmt.Appendf(nil, "%d", lastSlot(top))}, ""
	case "getBlocks":
		return r.slots(top, params), ""
	case "getBlock":
		var slot int64
		_ = json.Unmarshal(params[0], &slot)
		hash := make([]byte, 32)
		copy(hash, fmt.Sprintf("slot %d", slot))
		return [][]byte{fmt.Appendf(nil, `{"blockHeight":%d,"blockTime":%d,"blockhash":"%s"}`, slot, r.timeOf(slot), base58.Encode(hash))}, ""
	case "getMultipleAccounts":
		return r.accounts(top, params), ""
	case "getSignaturesForAddress":
		return r.list(top, params), ""
	case "getTransaction":
		var id string
		_ = json.Unmarshal(params[0], &id)
		return [][]byte{r.byID[id]}, ""
	}
	return nil, `{"code":-32601,"message":"Method not found"}`
}

// slots answers getBlocks: each slot has a block.
func (r *solanaReplay) slots(top int64, params []json.RawMessage) [][]byte {
	var low, high int64
	_, _ = json.Unmarshal(params[0], &low), json.Unmarshal(params[1], &high)
	var all []string
	for slot := low; slot <= min(high, lastSlot(top)); slot++ {
		all = append(all, fmt.Sprint(slot))
	}
	return [][]byte{fmt.Appendf(nil, "[%s]", strings.Join(all, ","))}
}

// shown are the payments to an address that the node has.
func (r *solanaReplay) shown(top int64, address string) []solanaPayment {
	all := r.paid[address]
	for len(all) > 0 && all[len(all)-1].group > top {
		all = all[:len(all)-1]
	}
	return all
}

func (r *solanaReplay) accounts(top int64, params []json.RawMessage) [][]byte {
	var names []string
	_ = json.Unmarshal(params[0], &names)
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = "null"
		if mint := r.mints[name]; mint != "" {
			all[i] = mint
		} else if paid := r.shown(top, name); len(paid) > 0 {
			all[i] = solanaAccount(paid[len(paid)-1].held, solanaSystem, nil)
		}
	}
	return [][]byte{fmt.Appendf(nil, `{"context":{"apiVersion":"2.3.0","slot":%d},"value":[%s]}`, lastSlot(top), strings.Join(all, ","))}
}

// list answers getSignaturesForAddress: no address has so many that an answer is not whole.
func (r *solanaReplay) list(top int64, params []json.RawMessage) [][]byte {
	var address string
	var options struct{ Before string }
	_, _ = json.Unmarshal(params[0], &address), json.Unmarshal(params[1], &options)
	var all []string
	for _, p := range r.shown(top, address) {
		if p.id == options.Before {
			break
		}
		var told struct{ Slot int64 }
		_ = json.Unmarshal(r.byID[p.id], &told)
		all = append([]string{fmt.Sprintf(`{"signature":"%s","slot":%d,"err":null,"memo":null,"confirmationStatus":"finalized"}`, p.id, told.Slot)}, all...)
	}
	return [][]byte{fmt.Appendf(nil, "[%s]", strings.Join(all, ","))}
}
