package ripple

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/ripple/client"
)

// ledgersAtOnce is how many ledgers are asked for at the same time.
const ledgersAtOnce = 4

// How many transfers a step reads, and for how long, if there is more than one stretch of ledgers.
const (
	mostMoves   = 10_000
	longestRead = 8 * time.Second
)

// ledger is a validated ledger with what its transactions did, in their order.
type ledger struct {
	client.Header
	txs []transaction
}

// Blocks returns the ledgers from a height on, with transfers to everybody. All are of one node.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
		out, err = c.stretch(ctx, n, from, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledgers from %d: %w", from, err)
	}
	return out, nil
}

func (c *Connector) stretch(ctx context.Context, n node, from int64, limit int) ([]chains.Block, error) {
	best, err := n.Client.Header(ctx, "validated")
	if err != nil {
		return nil, err
	}
	count := min(best.Index-from+1, int64(limit))
	if count <= 0 {
		return nil, nil
	}
	out := make([]chains.Block, 0, count)
	began, moves := time.Now(), 0
	for int64(len(out)) < count && moves < mostMoves && time.Since(began) < longestRead {
		at := from + int64(len(out))
		read, err := c.run(ctx, n, at, int(min(ledgersAtOnce, from+count-at)))
		if err != nil {
			return nil, err
		}
		for _, l := range read {
			told := told(l)
			if last := len(out) - 1; last >= 0 && told.Parent != out[last].Hash {
				return nil, odd("ledger %d is not above ledger %d of the same node", l.Index, l.Index-1)
			}
			moves += len(told.Transfers)
			out = append(out, told)
		}
	}
	return out, nil
}

// run reads ledgers in a row.
func (c *Connector) run(ctx context.Context, n node, from int64, count int) ([]*ledger, error) {
	read := make([]*ledger, count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(ledgersAtOnce)
	for i := range read {
		group.Go(func() (err error) {
			read[i], err = c.ledger(ctx, n, from+int64(i))
			return err
		})
	}
	return read, group.Wait()
}

// ledger reads a ledger. One that was read before is not read again: the header of a validated one never changes, and another node's is
// compared by its hash.
func (c *Connector) ledger(ctx context.Context, n node, index int64) (*ledger, error) {
	if known := c.recent.at(index); known != nil {
		h, err := n.Client.Header(ctx, index)
		if err != nil {
			return nil, lacks(index, err)
		}
		if h.Hash == known.Hash {
			return known, nil
		}
	}
	raw, h, err := n.Client.Whole(ctx, index)
	if err != nil {
		return nil, lacks(index, err)
	}
	l, err := c.parse(raw, h)
	if err == nil {
		c.recent.keep(l)
	}
	return l, err
}

// lacks says of a ledger that a node does not have what this means.
func lacks(index int64, err error) error {
	if client.Missing(err) {
		return fmt.Errorf("the node lacks ledger %d (complete_ledgers has a gap): %w", index, err)
	}
	return err
}

// parse reads the transactions of a ledger. The root in its header is over all of them: none is missing, and none was added.
func (c *Connector) parse(raw *client.Ledger, h client.Header) (*ledger, error) {
	l := &ledger{Header: h, txs: make([]transaction, 0, len(raw.Ledger.Transactions))}
	leaves := make([]leaf, 0, len(raw.Ledger.Transactions))
	for i := range raw.Ledger.Transactions {
		blob, wrong := hex.DecodeString(raw.Ledger.Transactions[i].Blob)
		meta, bad := hex.DecodeString(raw.Ledger.Transactions[i].Meta)
		if wrong != nil || bad != nil {
			return nil, odd("ledger %d: transaction %d is not in hex", h.Index, i)
		}
		id := txid(blob)
		leaves = append(leaves, leafOf(id, blob, meta))
		t, err := readTransaction(id, blob, meta)
		if errors.Is(err, errWire) && !pays(blob) {
			c.log.WithField("txid", id.String()).Warn("a transaction cannot be read, and is no payment: it is taken as one that moves nothing")
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: ledger %d: transaction %s may pay somebody: %w", chains.ErrDown, h.Index, id, err)
		}
		l.txs = append(l.txs, t)
	}
	if got := root(leaves); got != h.Root {
		return nil, odd("ledger %d: the root of its %d transactions is %s, and its header has %s", h.Index, len(leaves), got, h.Root)
	}
	slices.SortFunc(l.txs, func(a, b transaction) int { return int(a.index) - int(b.index) })
	return l, nil
}

// pays reports whether a transaction's first bytes, which are its type, say that it pays an account.
func pays(blob []byte) bool {
	if len(blob) < 3 || blob[0] != 0x12 {
		return true
	}
	kind := uint16(blob[1])<<8 | uint16(blob[2])
	return kind == typePayment || kind == typeAccountDelete
}

// told returns a ledger as the follower needs it.
func told(l *ledger) chains.Block {
	out := chains.Block{Height: l.Index, Hash: l.Hash.String(), Parent: l.Parent.String(), Time: l.Closed}
	for i := range l.txs {
		out.Transfers = append(out.Transfers, l.txs[i].transfers()...)
	}
	return out
}

// transfers returns what a transaction moved of XRP. The memo is the destination tag.
func (t *transaction) transfers() (out []chains.Transfer) {
	for _, m := range t.moves {
		if m.to == t.from {
			continue
		}
		transfer := chains.Transfer{Txid: txidText(t.id), Token: coin, Position: len(out), From: t.from.String(), To: m.to.String(), Amount: xrp(m.drops)}
		if m.tagged {
			transfer.Memo = strconv.FormatUint(uint64(m.tag), 10)
		}
		out = append(out, transfer)
	}
	return out
}

func txidText(id [32]byte) string { return strings.ToUpper(hex.EncodeToString(id[:])) }

// recentLedgers is how many ledgers are kept for questions about our own transactions in them.
const recentLedgers = 64

// recent are the last ledgers read, by their index.
type recent struct {
	sync.Mutex
	ledgers map[int64]*ledger
}

func (r *recent) at(index int64) *ledger {
	r.Lock()
	defer r.Unlock()
	return r.ledgers[index]
}

func (r *recent) keep(l *ledger) {
	r.Lock()
	defer r.Unlock()
	if r.ledgers == nil {
		r.ledgers = map[int64]*ledger{}
	}
	r.ledgers[l.Index] = l
	for index := range r.ledgers {
		if index <= l.Index-recentLedgers {
			delete(r.ledgers, index)
		}
	}
	for index := range r.ledgers { // a reader of old ledgers keeps no more
		if len(r.ledgers) <= recentLedgers {
			break
		}
		delete(r.ledgers, index)
	}
}
