package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	btc "github.com/btcsuite/btcd/wire/v2"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains/addresses"
)

// customers is the sender of all that does not come from our addresses.
const customers = "a customer"

// shown is a block of the node.
type shown struct {
	hash string
	txs  []*shownTx
}

// shownTx is a transaction: a spend of our addresses, or a payment to them.
type shownTx struct {
	*btc.MsgTx

	id         string
	ours, paid bool
	fee        int64
}

// nodeTables have the shape of the sandbox's tables, and come before them in the verdict's search path. So one verdict is of both
// kinds of networks. What is in them is read from the node alone.
const nodeTables = `
	create schema seen;
	create table seen.sandbox_networks (network text, coin text, height bigint);
	create table seen.sandbox_transactions (like public.sandbox_transactions);
	create table seen.sandbox_holdings (like public.sandbox_holdings)`

// row is an output in the shape of the sandbox's.
type row struct {
	bun.BaseModel `bun:"table:sandbox_transactions"`

	Network, Txid       string
	Place               int
	Seq                 int64
	Sender, SenderMatch string
	Nonce               *int64
	Recipient           string
	RecipientMatch      string
	Memo, Token, State  string
	Amount, Fee         decimal.Decimal
	Beside, Cost        decimal.Decimal
	Height              *int64
}

// holding is what an address of ours has.
type holding struct {
	bun.BaseModel `bun:"table:sandbox_holdings"`

	Network, Address, Token string
	Amount                  decimal.Decimal
}

// look reads the blocks that are new, and what waits for a block.
func (r *real) look() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	height := int(r.node.Height(r.hand))
	r.blocks = r.blocks[:min(len(r.blocks), height+1)]
	for len(r.blocks) > 0 && r.blocks[len(r.blocks)-1].hash != r.node.Hash(r.hand, int64(len(r.blocks)-1)) {
		r.blocks = r.blocks[:len(r.blocks)-1]
	}
	for h := len(r.blocks); h <= height; h++ {
		hash := r.node.Hash(r.hand, int64(h))
		var raw string
		r.node.Call(r.hand, &raw, "getblock", hash, 0)
		var b btc.MsgBlock
		if err := b.Deserialize(hex.NewDecoder(strings.NewReader(raw))); err != nil {
			return fmt.Errorf("block %d of the node: %w", h, err)
		}
		one := &shown{hash: hash}
		for _, tx := range b.Transactions {
			one.txs = append(one.txs, &shownTx{MsgTx: tx, id: tx.TxID()})
		}
		r.blocks = append(r.blocks, one)
	}
	return nil
}

// pool reads what waits for a block.
func (r *real) pool() (*shown, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &shown{}
	for _, id := range r.node.Mempool(r.hand) {
		var raw string
		r.node.Call(r.hand, &raw, "getrawtransaction", id)
		tx := &btc.MsgTx{}
		if err := tx.Deserialize(hex.NewDecoder(strings.NewReader(raw))); err != nil {
			return nil, fmt.Errorf("transaction %s of the node: %w", id, err)
		}
		out.txs = append(out.txs, &shownTx{MsgTx: tx, id: id})
	}
	return out, nil
}

// tell sorts transactions by who pays, and adds up what our addresses hold when all of them are done.
func (r *real) tell(own map[string]bool, blocks []*shown) map[string]int64 {
	made, held := map[btc.OutPoint]*btc.TxOut{}, map[string]int64{}
	for _, b := range blocks {
		for _, tx := range b.txs {
			hash := tx.TxHash()
			for i, out := range tx.TxOut {
				made[btc.OutPoint{Hash: hash, Index: uint32(i)}] = out
			}
		}
	}
	for i, b := range blocks {
		for k, tx := range b.txs {
			coinbase := k == 0 && i < len(blocks)-1
			tx.ours, tx.paid, tx.fee = false, !coinbase, 0
			for _, in := range tx.TxIn {
				if from := made[in.PreviousOutPoint]; from != nil {
					payer := addresses.OfScript(network, from.PkScript)
					if tx.fee += from.Value; own[payer] {
						tx.ours, tx.paid = true, false
						held[payer] -= from.Value
					}
				}
			}
			for _, out := range tx.TxOut {
				tx.fee -= out.Value
				if to := addresses.OfScript(network, out.PkScript); own[to] {
					held[to] += out.Value
				}
			}
		}
	}
	return held
}

// own are our addresses on the network.
func (r *real) own(ctx context.Context) (map[string]bool, error) {
	var list []string
	if err := r.t.db.NewRaw("select match from addresses").Scan(ctx, &list); err != nil {
		return nil, err
	}
	out := map[string]bool{r.hot: true}
	for _, a := range list {
		out[a] = true
	}
	return out, nil
}

// sort reads everything, and sorts it.
func (r *real) sort(ctx context.Context) (own map[string]bool, pool *shown, held map[string]int64, err error) {
	if own, err = r.own(ctx); err != nil {
		return nil, nil, nil, err
	}
	if err = r.look(); err != nil {
		return nil, nil, nil, err
	}
	if pool, err = r.pool(); err != nil {
		return nil, nil, nil, err
	}
	return own, pool, r.tell(own, append(r.blocks[:len(r.blocks):len(r.blocks)], pool)), nil
}

// show writes what the node has into the tables of the verdict.
func (r *real) show(ctx context.Context) error {
	own, pool, held, err := r.sort(ctx)
	if err != nil {
		return err
	}
	var rows []row
	for h, b := range r.blocks {
		rows = r.rows(rows, own, b, new(int64(h)))
	}
	rows = r.rows(rows, own, pool, nil)
	return r.t.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		return r.write(ctx, tx, rows, held)
	})
}

// rows are the outputs of a block to our addresses, and from them.
func (r *real) rows(rows []row, own map[string]bool, b *shown, height *int64) []row {
	state := "pending"
	if height != nil {
		state = "mined"
	}
	for _, tx := range b.txs {
		for i, out := range tx.TxOut {
			to := addresses.OfScript(network, out.PkScript)
			one := row{Network: network, Txid: tx.id, Place: i, Seq: int64(len(rows)), Sender: customers, SenderMatch: customers, Recipient: to,
				RecipientMatch: to, Token: "BTC", State: state, Amount: decimal.New(out.Value, -8), Height: height}
			switch {
			case tx.ours:
				one.Sender, one.SenderMatch, one.Nonce = r.hot, r.hot, new(int64)
				if i == 0 {
					one.Fee = decimal.New(tx.fee, -8)
				}
			case !tx.paid || !own[to]:
				continue
			case to == r.hot:
				one.Sender, one.SenderMatch = "the operator", "the operator"
			}
			rows = append(rows, one)
		}
	}
	return rows
}

func (r *real) write(ctx context.Context, tx bun.Tx, rows []row, held map[string]int64) error {
	const clear = "truncate seen.sandbox_networks, seen.sandbox_transactions, seen.sandbox_holdings"
	if _, err := tx.NewRaw(clear).Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewRaw("insert into seen.sandbox_networks values (?, 'BTC', ?)", network, len(r.blocks)-1).Exec(ctx); err != nil {
		return err
	}
	const group = 500
	for len(rows) > 0 {
		some := rows[:min(len(rows), group)]
		if _, err := tx.NewInsert().Model(&some).Exec(ctx); err != nil {
			return err
		}
		rows = rows[len(some):]
	}
	for a, sum := range held {
		if _, err := tx.NewInsert().Model(&holding{Network: network, Address: a, Token: "BTC", Amount: decimal.New(sum, -8)}).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
