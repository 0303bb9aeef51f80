package ton

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/xssnick/tonutils-go/tvm/cell"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
)

// questionsAtOnce is how many questions are asked at the same time.
const questionsAtOnce = 4

// Blocks returns the blocks of the masterchain from a height on, with the transfers of the followed accounts.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
		out, err = c.blocks(ctx, n, max(from, 1), limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

func (c *Connector) blocks(ctx context.Context, n node, from int64, limit int) ([]chains.Block, error) {
	tip, _, err := n.Client.Tip(ctx)
	if err != nil {
		return nil, err
	}
	count := min(tip.Height-from+1, int64(limit))
	if count <= 0 {
		return nil, nil
	}
	accounts, err := c.watched(ctx) // after the tip: who was paid by then is among them
	if err != nil {
		return nil, err
	}
	if begun := c.unfinished.count(from); begun > 0 {
		count = min(count, begun)
	}
	for {
		steps, whole, err := c.walked(ctx, n, accounts, from, from+count-1)
		if errors.Is(err, errCrowd) && count > 1 {
			count = max(count/8, 1)
			continue
		}
		if err != nil || !whole {
			return nil, err
		}
		defer c.unfinished.forget()
		return c.told(ctx, n, accounts, steps, from, count)
	}
}

// told returns blocks with what transactions did in them.
func (c *Connector) told(ctx context.Context, n node, accounts []account, steps []*transaction, from, count int64) ([]chains.Block, error) {
	out, err := headers(ctx, n, from, int(count))
	if err != nil {
		return nil, err
	}
	c.past.keep(steps)
	r := &reader{Connector: c, n: n, top: from + count - 1, accounts: accounts}
	for _, t := range steps {
		if err := r.tell(ctx, t, &out[t.seqno-from]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// headers reads blocks in a row.
func headers(ctx context.Context, n node, from int64, count int) ([]chains.Block, error) {
	out := make([]chains.Block, count)
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(questionsAtOnce)
	for i := range out {
		group.Go(func() error {
			h, err := n.Client.Header(within, from+int64(i))
			out[i] = chains.Block{Height: h.Seqno, Hash: h.Hash, Parent: h.Parent, Time: h.Time}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := 1; i < count; i++ {
		if out[i].Parent != out[i-1].Hash {
			return nil, odd("block %d is not above block %d of the same node", out[i].Height, out[i-1].Height)
		}
	}
	return out, nil
}

// between returns the transactions of an account in the blocks above low, up to high, each with its block. What was remembered of the account is
// forgotten if they do not fit it.
func (c *Connector) between(ctx context.Context, n node, a account, low, high int64) (steps []*transaction, err error) {
	newer, err := state(ctx, n, a, high)
	if err != nil {
		return nil, err
	}
	older, known := c.past.stateAt(a, low)
	if !known {
		if older, err = state(ctx, n, a, low); err != nil {
			return nil, err
		}
	}
	if steps, err = c.steps(ctx, n, a, stretch{low, high, older, newer}); err != nil {
		c.past.forget(a)
		return nil, err
	}
	c.past.reached(a, high, newer)
	return steps, nil
}

// reader tells what transactions did, in the blocks of one step.
type reader struct {
	*Connector
	n        node
	top      int64
	accounts []account
	wallets  map[account]map[account]token // jetton wallets by their owner
}

// watches reports whether an account is followed.
func (r *reader) watches(a account) bool { return slices.Contains(r.accounts, a) }

// walletsOf returns the jetton wallets of a followed account.
func (r *reader) walletsOf(ctx context.Context, a account) (map[account]token, error) {
	if known := r.wallets[a]; known != nil {
		return known, nil
	}
	found, err := r.jettonWallets(ctx, r.n, a, r.top)
	if err != nil {
		return nil, err
	}
	if r.wallets == nil {
		r.wallets = map[account]map[account]token{}
	}
	r.wallets[a] = found
	return found, nil
}

// tell adds a transaction of a followed account to its block.
func (r *reader) tell(ctx context.Context, t *transaction, b *chains.Block) error {
	switch {
	case t.signed != nil:
		return r.tellSpent(ctx, t, b)
	case t.gone:
		b.Costs = append(b.Costs, chains.Cost{Txid: b.Hash, Address: t.account.String(), Amount: whole(t.fees)})
		return nil
	case t.in == nil: // a step of the chain itself, which ordinary accounts do not have
		r.cost(t, t.cost(), b)
		return nil
	}
	cost := t.cost()
	if back := t.returned(); back != nil {
		r.cost(t, cost-(t.in.value-back.value), b)
		return nil
	}
	for i := range t.out { // a plugin of the wallet, which we never install
		cost += t.out[i].value
	}
	r.cost(t, cost, b)
	return r.tellReceived(ctx, t, b)
}

func (r *reader) cost(t *transaction, nano int64, b *chains.Block) {
	if nano > 0 {
		b.Costs = append(b.Costs, chains.Cost{Txid: t.hash.String(), Address: t.account.String(), Amount: whole(nano)})
	}
}

// tellSpent tells what a wallet paid by its own order. What goes to followed accounts is told where it arrives.
func (r *reader) tellSpent(ctx context.Context, t *transaction, b *chains.Block) error {
	id, from := t.id.String(), t.account.String()
	jettons, err := r.walletsOf(ctx, t.account)
	if err != nil {
		return err
	}
	for i := range t.out {
		m := &t.out[i]
		if token, o, isOrder := ordersUnits(jettons, m); isOrder {
			if o.units.Sign() > 0 && !r.watches(o.to) {
				b.Transfers = append(b.Transfers, chains.Transfer{Txid: id, Token: token.symbol, Position: i, From: from, To: o.to.String(), Memo: o.memo, Amount: token.amount(o.units)})
			}
			continue
		}
		if m.value > 0 && !r.watches(m.to) {
			b.Transfers = append(b.Transfers, chains.Transfer{Txid: id, Token: coin.symbol, Position: i, From: from, To: m.to.String(), Memo: commentOf(m.body), Amount: whole(m.value)})
		}
	}
	return nil
}

// tellReceived tells what a message brought: coins, a notice of a jetton, or coins that pay nobody.
func (r *reader) tellReceived(ctx context.Context, t *transaction, b *chains.Block) error {
	m := t.in
	coins := chains.Transfer{Txid: t.id.String(), Token: coin.symbol, From: m.from.String(), To: t.account.String(), Amount: whole(m.value)}
	op, rest, _ := opOf(m.body)
	switch {
	case m.bounced, op == opBounced, op == opReturned, op == opExcesses:
		coins.Beside = true
	case op == opNotice:
		coins.Beside, coins.Position = true, 1
		if err := r.tellNotice(ctx, t, rest, b); err != nil {
			return err
		}
	default:
		coins.Memo = commentOf(m.body)
		if r.watches(m.from) {
			var err error
			if coins.Txid, coins.Position, err = r.sender(ctx, r.n, m, r.top, coins.Txid); err != nil {
				return err
			}
		}
	}
	if m.value > 0 {
		b.Transfers = append(b.Transfers, coins)
	}
	return nil
}

// tellNotice tells of units that came, if the account's own jetton wallet says so. Anybody may send such a notice.
func (r *reader) tellNotice(ctx context.Context, t *transaction, rest *cell.Slice, b *chains.Block) error {
	jettons, err := r.walletsOf(ctx, t.account)
	if err != nil {
		return err
	}
	token, own := jettons[t.in.from]
	told, ok := readNotice(rest)
	if !own || !ok || told.units.Sign() <= 0 || told.units.BitLen() > maxBits {
		return nil
	}
	id, place := t.id.String(), 0
	if r.watches(told.from) {
		if id, place, err = r.ordered(ctx, r.n, told.from, t.in, r.top, id); err != nil {
			return err
		}
	}
	b.Transfers = append(b.Transfers, chains.Transfer{Txid: id, Token: token.symbol, Position: place, From: told.from.String(), To: t.account.String(), Memo: told.comment,
		Amount: token.amount(told.units)})
	return nil
}
