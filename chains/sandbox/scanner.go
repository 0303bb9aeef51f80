package sandbox

import (
	"context"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// The statements of the scanner. Each sees one moment of the chain, so hashes and transactions always belong together.
const (
	forksSelect = `select coalesce(jsonb_agg(jsonb_build_object('first', f.first, 'salt', f.salt) order by f.first), '[]')
	 from sandbox_forks f where f.network = `
	forksColumn = `(` + forksSelect + `n.network)`

	hashQuery = `select n.height, n.faults, ` + forksColumn + ` from sandbox_networks n where n.network = ?`

	transferColumns = `jsonb_build_object('txid', t.txid, 'token', t.token, 'from', t.sender, 'to', t.recipient_match, 'memo', t.memo,
	   'amount', t.amount::text, 'height', t.height, 'mined_at', t.mined_at, 'place', t.place,
	   'ours', t.nonce is not null, 'coins', coalesce(array_to_string(t.coins, ' '), ''))`

	// Rows, and not one with a list of objects: a busy block has thousands. The network's own columns are computed once.
	blocksQuery = `select n.height, n.mined_at, n.faults, n.shown, coalesce(t.txid, ''), coalesce(t.token, ''), coalesce(t.sender, ''),
	coalesce(t.recipient_match, ''), coalesce(t.memo, ''), coalesce(t.amount, 0)::text, coalesce(t.height, 0), coalesce(t.mined_at, n.mined_at),
	coalesce(t.place, 0), t.nonce is not null, coalesce(array_to_string(t.coins, ' '), ''), coalesce(t.beside, 0)::text, coalesce(t.cost, 0)::text
	from (select n.*, ` + forksColumn + ` as shown from sandbox_networks n where n.network = ? offset 0) n
	left join sandbox_transactions t on t.network = n.network and t.height between ? and ? and t.state = 'mined'
	order by t.height, t.seq`

	pendingQuery = `select n.faults,
	(select coalesce(jsonb_agg(` + transferColumns + ` order by t.seq), '[]')
	 from sandbox_transactions t where t.network = n.network and t.height is null and t.state = 'pending')
	from sandbox_networks n where n.network = ?`
)

// moved is an output of a transaction as the chain shows it. It has one transfer at most: cancelling ones move nothing.
type moved struct {
	Txid, Token, From, To, Memo string
	Amount                      decimal.Decimal
	Height                      int64
	MinedAt                     time.Time `json:"mined_at"`
	Place                       int
	Ours                        bool   // the hot wallet has sent it
	Coins                       string // the ids of those spent, on place 0
	Beside, Cost                decimal.Decimal
}

// Head returns the best height, and the heights for credit (2 confirmations) and finality (4).
func (c *chain) Head(ctx context.Context, followed int64) (chains.Head, error) {
	seen, err := c.batched.heads.Do(ctx, c.net.Name, c.batched.readHeads)
	if err := c.answered(seen != nil, err); err != nil {
		return chains.Head{}, err
	}
	if err := c.pass(seen.faults, seen.faults.Scan); err != nil {
		return chains.Head{}, err
	}
	head := headAt(seen.height)
	head.Time = seen.minedAt
	if c.exclusion == chains.ByExpiry {
		head.Clock = head.Final
	}
	head.Marks = []chains.Mark{{Height: seen.height, Hash: blockHash(c.net, seen.forks, seen.height)}}
	if followed >= 1 && followed < seen.height {
		head.Marks = append(head.Marks, chains.Mark{Height: followed, Hash: blockHash(c.net, seen.forks, followed)})
	}
	return head, nil
}

func headAt(height int64) chains.Head {
	return chains.Head{Height: height, Credit: max(height-creditAfter+1, 0), Final: max(height-finalAfter+1, 0), Rule: ruleInWords}
}

// Hash returns the hash of the block at a height, "" above the head and below the first.
func (c *chain) Hash(ctx context.Context, height int64) (string, error) {
	hashes, err := c.hashes(ctx, height)
	return hashes[0], err
}

// HashBelow returns the hash of a block in the chain of another one.
func (c *chain) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	hashes, err := c.hashes(ctx, top.Height, height)
	if err != nil || height > top.Height || hashes[0] != top.Hash {
		return "", err
	}
	return hashes[1], nil
}

// hashes returns the hashes at heights at one moment.
func (c *chain) hashes(ctx context.Context, heights ...int64) ([]string, error) {
	out := make([]string, len(heights))
	var top int64
	var f Faults
	var forks []fork
	if err := c.read(ctx, hashQuery, []any{c.net.Name}, &top, asJSON(&f), asJSON(&forks)); err != nil {
		return out, err
	}
	if err := c.pass(f, f.Scan); err != nil {
		return out, err
	}
	for i, height := range heights {
		if height >= 1 && height <= top {
			out[i] = blockHash(c.net, forks, height)
		}
	}
	return out, nil
}

// Blocks returns at most limit blocks from a height on. The first block of a network is number 1. Empty ones are asked for
// together with those of other networks. A range with transactions, perhaps many, is then read by itself.
func (c *chain) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	from = max(from, 1)
	last := from + int64(limit) - 1
	seen, err := c.batched.ranges.Do(ctx, blockRange{c.net.Name, from, last}, c.batched.readRanges)
	if err := c.answered(seen != nil, err); err != nil {
		return nil, err
	}
	r := seen.reach
	if seen.busy {
		if r, err = c.readReach(ctx, from, last); err != nil {
			return nil, err
		}
	}
	if err := c.pass(r.faults, r.faults.Scan); err != nil {
		return nil, err
	}
	return c.blocks(r, from, min(last, r.height)), nil
}

// Pending returns what is in the mempool.
func (c *chain) Pending(ctx context.Context) (out chains.Unmined, err error) {
	var f Faults
	var moves []moved
	if err := c.read(ctx, pendingQuery, []any{c.net.Name}, asJSON(&f), asJSON(&moves)); err != nil {
		return out, err
	}
	if err := c.pass(f, f.Scan); err != nil {
		return out, err
	}
	for _, m := range moves {
		if m.Amount.IsPositive() {
			out.Transfers = append(out.Transfers, m.transfer())
		}
		out.Spent = append(out.Spent, m.spent()...)
	}
	return out, nil
}

// transfer is an output as the follower sees it. Coins name no sender.
func (m moved) transfer() chains.Transfer {
	if m.Ours && (m.Coins != "" || m.Place > 0) {
		m.From = ""
	}
	return chains.Transfer{Txid: m.Txid, Token: m.Token, Position: m.Place, From: m.From, To: m.To, Memo: m.Memo, Amount: m.Amount}
}

// besides is the coin that came along with an output, in a place that no payment of the transaction has.
func (m moved) besides(coin string) (all []chains.Transfer) {
	if m.Beside.IsPositive() {
		all = append(all, chains.Transfer{Txid: m.Txid, Token: coin, Position: m.Place + 1, From: m.From, To: m.To, Amount: m.Beside, Beside: true})
	}
	return all
}

func (m moved) costs() (all []chains.Cost) {
	if m.Cost.IsPositive() {
		all = append(all, chains.Cost{Txid: m.Txid, Address: m.To, Amount: m.Cost})
	}
	return all
}

func (m moved) spent() (all []chains.Spending) {
	for _, id := range strings.Fields(m.Coins) {
		all = append(all, chains.Spending{Coin: id, Txid: m.Txid})
	}
	return all
}
