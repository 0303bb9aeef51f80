package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/monero"
	"causeway/chains/nodes"
)

const (
	moneroFirst   = 3_000_000 // the last block before the first replayed one
	moneroTxs     = 60        // of a block
	moneroBodies  = 24
	moneroGenesis = "418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3"
)

// moneroReplay is a chain of Monero, and the followers' wallet, which has found our payments and was shown all key images. Ids and hashes are
// as they should be: the connector computes them.
type moneroReplay struct {
	*following
	view   string
	units  uint64
	bodies [moneroBodies][]moneroHash
	txs    map[string]string // answers about transactions, by id
	blocks []moneroBlock     // from moneroFirst on
	coins  []moneroCoin      // in their order
	byTx   map[string]int    // places in coins
	minors map[string]int    // of our addresses
}

// moneroBlock has the answers about a block.
type moneroBlock struct {
	id           moneroHash
	made         int64
	header, blob string
}

// moneroCoin is an output of ours as the wallet tells it.
type moneroCoin struct {
	id          moneroHash // of its transaction
	height      int64
	found, coin string
}

func newMoneroReplay(f *following) (replay, error) {
	view, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	r := &moneroReplay{following: f, view: view, units: amount.Shift(12).BigInt().Uint64(), txs: map[string]string{}, byTx: map[string]int{}, minors: map[string]int{}}
	if err := r.derive(); err != nil {
		return nil, err
	}
	for i := range r.bodies {
		for range moneroTxs - oursPerBlock {
			o := moneroStranger()
			r.bodies[i] = append(r.bodies[i], r.keep(moneroTransaction(o.key, o, moneroStranger())))
		}
	}
	r.append(time.Now().Unix()-3600, moneroHash{1}, r.bodies[0])
	return r, nil
}

// derive makes our addresses, as the connector does.
func (r *moneroReplay) derive() error {
	cfg := monero.Defaults()
	cfg.RPC, cfg.Wallet, cfg.View, cfg.Start = nodes.Addresses{"http://127.0.0.1:1"}, "http://127.0.0.1:2", r.view, moneroFirst
	c, err := monero.Open(r.ctx, cfg, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range r.addresses {
		address, err := c.Derive(context.Background(), uint32(i))
		if err != nil {
			return err
		}
		r.ours, r.minors[address] = append(r.ours, address), i+1
	}
	return nil
}

func (r *moneroReplay) keep(t moneroTx) moneroHash {
	r.txs[t.id.String()] = fmt.Sprintf(`{"tx_hash":"%s","pruned_as_hex":"%x","prunable_hash":"%s","prunable_as_hex":"","as_hex":"","in_pool":false,"double_spend_seen":false}`, t.id, t.raw, t.proofs)
	return t.id
}

func (r *moneroReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, wallet: %q, chain: regtest, view: %q, start: %d, stale_after: 24h}\n", r.network, url, url, r.view, moneroFirst)
}

func (r *moneroReplay) height() int64 { return moneroFirst + int64(len(r.blocks)) - 1 }

func (r *moneroReplay) append(made int64, parent moneroHash, txs []moneroHash) {
	height := moneroFirst + int64(len(r.blocks))
	blob, id := moneroBlob(height, made, parent, txs)
	header := fmt.Sprintf(`{"hash":"%s","prev_hash":"%s","height":%d,"timestamp":%d,"orphan_status":false}`, id, parent, height, made)
	r.blocks = append(r.blocks, moneroBlock{id, made, header, fmt.Sprintf(`"blob":"%x"`, blob)})
}

func (r *moneroReplay) add(pays []payee) {
	height, before := r.height()+1, r.blocks[len(r.blocks)-1]
	var txs []moneroHash
	for _, to := range pays {
		o, public := moneroPaid(to.address, r.units)
		id := r.keep(moneroTransaction(public, o, moneroStranger()))
		txs = append(txs, id)
		c := moneroCoin{id: id, height: height}
		at := fmt.Sprintf(`"amount":%d,"subaddr_index":{"major":0,"minor":%d}`, r.units, r.minors[to.address])
		c.found = fmt.Sprintf(`{"result":{"transfers":[{%s,"height":%d,"type":"in"}]}}`, at, height)
		c.coin = fmt.Sprintf(`{%s,"block_height":%d,"global_index":%d,"key_image":"%x","pubkey":"%x","tx_hash":"%s","spent":false,"unlocked":true,"frozen":false}`,
			at, height, len(r.coins), random(32), o.key, id)
		r.byTx[id.String()], r.coins = len(r.coins), append(r.coins, c)
	}
	r.append(before.made+1, before.id, append(txs, r.bodies[height%moneroBodies]...))
}

func (r *moneroReplay) questions(height int64) []string {
	var names []string
	for _, c := range r.coins {
		if c.height == height {
			names = append(names, c.id.String())
		}
	}
	for _, id := range r.bodies[height%moneroBodies] {
		names = append(names, id.String())
	}
	return []string{fmt.Sprintf(`json_rpc {"method":"get_block","params":{"height":%d}}`, height),
		fmt.Sprintf(`get_transactions {"txs_hashes":["%s"],"prune":true}`, strings.Join(names, `","`))}
}

// answer is of JSON-RPC with a list of parameters: nobody asks so here.
func (r *moneroReplay) answer(int64, string, []json.RawMessage) ([][]byte, string) {
	return nil, `"none"`
}

// answerAt answers a question to the node, or to the wallet server.
func (r *moneroReplay) answerAt(top int64, path string, body []byte) [][]byte {
	var asked struct {
		Method string
		Params struct {
			Height int64
			Txid   string
		}
		Ids []string `json:"txs_hashes"`
	}
	if json.Unmarshal(body, &asked) != nil {
		return nil
	}
	switch path {
	case "get_transactions":
		return r.transactions(asked.Ids)
	case "get_transaction_pool_hashes":
		return [][]byte{[]byte(`{"status":"OK"}`)} // an empty mempool has no tx_hashes
	}
	switch asked.Method {
	case "get_info":
		return [][]byte{fmt.Appendf(nil, `{"result":{"height":%d,"target_height":0,"busy_syncing":false,"nettype":"fakechain","status":"OK"}}`, top+1)}
	case "get_last_block_header":
		return r.header(top, top, false)
	case "get_block_header_by_height":
		return r.header(asked.Params.Height, top, false)
	case "get_block":
		return r.header(asked.Params.Height, top, true)
	}
	return r.wallet(top, asked.Method, asked.Params.Txid)
}

func (r *moneroReplay) header(height, top int64, whole bool) [][]byte {
	if height == 0 {
		return [][]byte{fmt.Appendf(nil, `{"result":{"status":"OK","block_header":{"hash":"%s","prev_hash":"%s","height":0,"timestamp":0}}}`, moneroGenesis, moneroHash{})}
	}
	if height < moneroFirst || height > top {
		return [][]byte{[]byte(`{"error":{"code":-2,"message":"Requested block height: greater than current top block height"}}`)}
	}
	b := r.blocks[height-moneroFirst]
	out := [][]byte{[]byte(`{"result":{"status":"OK","block_header":`), []byte(b.header)}
	if whole {
		out = append(out, []byte(","), []byte(b.blob))
	}
	return append(out, []byte("}}"))
}

func (r *moneroReplay) transactions(ids []string) [][]byte {
	out := [][]byte{[]byte(`{"status":"OK","txs":[`)}
	for i, id := range ids {
		if i > 0 {
			out = append(out, []byte(","))
		}
		out = append(out, []byte(r.txs[id]))
	}
	return append(out, []byte("]}"))
}

// wallet answers as the followers' wallet server.
func (r *moneroReplay) wallet(top int64, method, txid string) [][]byte {
	main, _, _ := strings.Cut(r.view, ":")
	switch method {
	case "incoming_transfers":
		out := [][]byte{[]byte(`{"result":{"transfers":[`)}
		for i, c := range r.coins {
			if c.height > top {
				break
			}
			if i > 0 {
				out = append(out, []byte(","))
			}
			out = append(out, []byte(c.coin))
		}
		return append(out, []byte("]}}"))
	case "get_transfer_by_txid":
		if at, is := r.byTx[txid]; is {
			return [][]byte{[]byte(r.coins[at].found)}
		}
		return [][]byte{[]byte(`{"error":{"code":-8,"message":"Transaction not found."}}`)}
	}
	return [][]byte{fmt.Appendf(nil, `{"result":{"address":"%s","height":%d}}`, main, top+1)}
}
