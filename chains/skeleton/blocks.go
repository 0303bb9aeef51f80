package skeleton

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// decimals of the coin on the chain.
const decimals = 8

// Head implements chains.Scanner. One answer of the node has both marks, so that they are of one chain.
func (c *connector) Head(ctx context.Context, followed int64) (chains.Head, error) {
	var answer struct {
		Best block
		At   *block // at the height followed; null where there is none
	}
	if err := c.node.ask(ctx, fmt.Sprintf("/head?at=%d", followed), &answer); err != nil {
		return chains.Head{}, err
	}
	best := answer.Best
	h := chains.Head{Height: best.Height, Time: best.Time, Rule: fmt.Sprintf("%d and %d confirmations", c.cfg.Credit, c.cfg.Final),
		Credit: max(0, best.Height-int64(c.cfg.Credit)+1), Final: max(0, best.Height-int64(c.cfg.Final)+1),
		Marks: []chains.Mark{{Height: best.Height, Hash: best.Hash}}}
	if at := answer.At; at != nil && at.Height != best.Height {
		h.Marks = append(h.Marks, chains.Mark{Height: at.Height, Hash: at.Hash})
	}
	return h, nil
}

// Blocks implements chains.Scanner.
func (c *connector) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	var found []block
	if err := c.node.ask(ctx, fmt.Sprintf("/blocks?from=%d&limit=%d", from, limit), &found); err != nil {
		return nil, err
	}
	out := make([]chains.Block, len(found))
	for i, b := range found {
		out[i] = chains.Block{Height: b.Height, Hash: b.Hash, Parent: b.Parent, Time: b.Time}
		for _, t := range b.Transfers {
			out[i].Transfers = append(out[i].Transfers, chains.Transfer{Txid: t.Txid, Token: c.network.Coin, Position: t.Output,
				To: c.Match(t.To), Amount: decimal.New(t.Units, -decimals)})
		}
	}
	return out, nil
}

// Hash implements chains.Scanner.
func (c *connector) Hash(ctx context.Context, height int64) (string, error) {
	return c.hashAt(ctx, fmt.Sprintf("/hash?at=%d", height))
}

// HashBelow implements chains.Scanner.
func (c *connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	return c.hashAt(ctx, fmt.Sprintf("/hash?at=%d&below=%s", height, top.Hash))
}

func (c *connector) hashAt(ctx context.Context, question string) (hash string, err error) {
	err = c.node.ask(ctx, question, &hash)
	return hash, err
}
