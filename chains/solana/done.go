package solana

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// done is a transaction in a final block, and what it did.
type done struct {
	id        string
	slot      int64
	failed    bool
	fee       uint64
	keys      []key // with those of tables
	signers   int   // the first of the keys
	pre, post []uint64
	holdings  []holding // in the order of the keys
}

// holding is an account of a token in a transaction.
type holding struct {
	place                int
	mint, owner, program key
	before, after        uint64
}

// transactionQuestion asks for a transaction.
type transactionQuestion struct {
	Commitment string `json:"commitment"`
	Encoding   string `json:"encoding"`
	Versions   int    `json:"maxSupportedTransactionVersion"`
}

// transaction reads a transaction of a final block.
func (v view) transaction(ctx context.Context, id string, slot int64) (*done, error) {
	if kept := v.done.of(id); kept != nil {
		return kept, nil
	}
	var told *client.Transaction
	if err := v.Ask(ctx, &told, "getTransaction", id, transactionQuestion{"finalized", "json", anyVersion}); err != nil {
		return nil, err
	}
	if told == nil {
		return nil, fmt.Errorf("transaction %s: %w", id, errUntold)
	}
	d, err := readDone(id, told)
	if err != nil {
		return nil, err
	}
	if d.slot != slot {
		return nil, odd("transaction %s is in slot %d and in slot %d", id, slot, d.slot)
	}
	v.done.keep(d)
	return d, nil
}

// errUntold says that a node has forgotten a transaction that it still lists.
var errUntold = odd("the node lists it, and does not tell it")

// readDone reads a node's words about a transaction.
func readDone(id string, told *client.Transaction) (*done, error) {
	wrong := func(what string) (*done, error) { return nil, odd("transaction %.88s: %s", id, what) }
	m, message := told.Meta, told.Transaction.Message
	if m == nil || len(told.Transaction.Signatures) == 0 || told.Transaction.Signatures[0] != id {
		return wrong("told as another one, or without its effects")
	}
	names := slices.Concat(message.AccountKeys, m.LoadedAddresses.Writable, m.LoadedAddresses.Readonly)
	signers := message.Header.NumRequiredSignatures
	if len(names) == 0 || len(m.PreBalances) != len(names) || len(m.PostBalances) != len(names) || signers < 1 || signers > len(message.AccountKeys) {
		return wrong("its balances do not fit its accounts")
	}
	d := &done{id: id, slot: told.Slot, failed: client.Failed(m.Err), fee: m.Fee, signers: signers, pre: m.PreBalances, post: m.PostBalances, keys: make([]key, len(names))}
	for i, name := range names {
		k, ok := readKey(name)
		if !ok {
			return wrong("an account that is none")
		}
		d.keys[i] = k
	}
	if err := d.readHoldings(m); err != nil {
		return wrong(err.Error())
	}
	if d.failed && !d.still() {
		return wrong("it has failed, and moved something")
	}
	return d, nil
}

// still reports whether nothing moved but the fee.
func (d *done) still() bool {
	for i := range d.keys {
		if i > 0 && d.pre[i] != d.post[i] || i == 0 && d.pre[0] != d.post[0]+d.fee {
			return false
		}
	}
	return !slices.ContainsFunc(d.holdings, func(h holding) bool { return h.before != h.after })
}

// readHoldings reads the balances of tokens before and after. An account that was given away, or closed and opened again, is two: the former
// one has nothing afterwards, and the other one had nothing before.
func (d *done) readHoldings(m *client.Meta) error {
	at := map[holding]*holding{}
	for i, all := range [][]client.TokenBalance{m.PreTokenBalances, m.PostTokenBalances} {
		for _, told := range all {
			mint, mints := readKey(told.Mint)
			owner, owned := readKey(told.Owner)
			program, programs := readKey(told.ProgramID)
			units, err := strconv.ParseUint(told.UITokenAmount.Amount, 10, 64)
			if err != nil || !mints || !owned || !programs || told.AccountIndex < 0 || told.AccountIndex >= len(d.keys) {
				return fmt.Errorf("a balance of a token without its fields")
			}
			same := holding{place: told.AccountIndex, mint: mint, owner: owner, program: program}
			h := at[same]
			if h == nil {
				h = &same
				at[same] = h
			}
			if i == 0 {
				h.before = units
			} else {
				h.after = units
			}
		}
	}
	for _, h := range at {
		d.holdings = append(d.holdings, *h)
	}
	slices.SortFunc(d.holdings, func(a, b holding) int {
		return cmp.Or(a.place-b.place, bytes.Compare(a.mint[:], b.mint[:]), bytes.Compare(a.program[:], b.program[:]), bytes.Compare(a.owner[:], b.owner[:]))
	})
	return nil
}

// signedBy reports whether an account is among the signers.
func (d *done) signedBy(k key) bool { return slices.Contains(d.keys[:d.signers], k) }

// names reports whether the transaction has an account.
func (d *done) names(k key) bool { return slices.Contains(d.keys, k) }

// change is what the transaction did to an account: in lamports, or in units if it is one of a token.
func (d *done) change(a watched) int64 {
	if before, after, told := d.balances(a); told {
		return int64(after - before)
	}
	return 0
}

// balances are what an account held before and after the transaction, where it says so.
func (d *done) balances(a watched) (before, after uint64, told bool) {
	if a.mint == nil {
		i := slices.Index(d.keys, a.at)
		return d.pre[max(i, 0)], d.post[max(i, 0)], i >= 0
	}
	for _, h := range d.holdings {
		if d.keys[h.place] == a.at && h.owner == a.owner {
			return h.before, h.after, true
		}
	}
	return 0, 0, false
}

// move is a movement of one currency by a transaction.
type move struct {
	token    token
	position int
	from, to string
	units    uint64
	beside   bool // rent that came back from an account of ours
}

// moves are the movements of a transaction: what each account has more afterwards. If several have less, the sender is the hot wallet if it is
// one of them, and otherwise not known.
func (d *done) moves(tables *tables, hot key) (out []move) {
	if d.failed {
		return nil
	}
	for _, t := range tables.usable() {
		out = append(out, d.tokenMoves(t, hot)...)
	}
	return append(out, d.coinMoves(hot)...)
}

func (d *done) tokenMoves(t token, hot key) (out []move) {
	var senders []key
	for _, h := range d.holdings {
		switch {
		case h.mint != t.mint || h.program != *t.program:
		case h.after < h.before:
			senders = append(senders, h.owner)
		case h.after > h.before:
			to := d.keys[h.place]
			if at, err := associated(h.owner, h.mint, h.program); err == nil && at == to {
				to = h.owner // what lies elsewhere is nobody's payment
			}
			out = append(out, move{token: t, position: len(out), to: to.String(), units: h.after - h.before})
		}
	}
	return sentBy(out, senders, hot)
}

// coinMoves leaves out accounts of tokens: what they hold is the rent of their place. The fee is no move.
func (d *done) coinMoves(hot key) (out []move) {
	rents := map[int]bool{}
	for _, h := range d.holdings {
		rents[h.place] = true
	}
	var senders []key
	for i, k := range d.keys {
		before, after := d.pre[i], d.post[i]
		if i == 0 {
			after += d.fee
		}
		switch {
		case rents[i]:
		case after < before:
			senders = append(senders, k)
		case after > before:
			out = append(out, move{token: coin, position: len(out), to: k.String(), units: after - before})
		}
	}
	for i := range out {
		out[i].beside = len(senders) == 0 && out[i].to == hot.String() && d.signedBy(hot)
	}
	return sentBy(out, senders, hot)
}

func sentBy(moves []move, senders []key, hot key) []move {
	slices.SortFunc(senders, func(a, b key) int { return slices.Compare(a[:], b[:]) })
	senders = slices.Compact(senders)
	from := ""
	switch {
	case slices.Contains(senders, hot):
		from = hot.String()
	case len(senders) == 1:
		from = senders[0].String()
	}
	for i := range moves {
		moves[i].from = from
	}
	return moves
}

// transfers are the moves as the follower needs them.
func (d *done) transfers(tables *tables, hot key) (out []chains.Transfer) {
	for _, m := range d.moves(tables, hot) {
		out = append(out, chains.Transfer{Txid: d.id, Token: m.token.symbol, Position: m.position, From: m.from, To: m.to, Amount: m.token.amount(m.units), Beside: m.beside})
	}
	return out
}

// doneKept is how many transactions are kept.
const doneKept = 16_384

// doneBook are transactions that were read: they are final.
type doneBook struct {
	sync.Mutex
	known map[string]*done
}

func (b *doneBook) of(id string) *done {
	b.Lock()
	defer b.Unlock()
	return b.known[id]
}

func (b *doneBook) keep(d *done) {
	b.Lock()
	defer b.Unlock()
	if b.known == nil || len(b.known) > doneKept {
		b.known = map[string]*done{}
	}
	b.known[d.id] = d
}
