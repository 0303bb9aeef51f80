package follow

import (
	"context"
	"fmt"

	"causeway/chains"
)

// readBlocks reads blocks up to the head, at most so many, with all tokens of the catalogue watched. Without a new block no node is asked.
// A token may be added, and paid, while blocks are read: they are read again then.
func (w *Worker) readBlocks(ctx context.Context, n *chains.Network, from, head int64, most int) (blocks []chains.Block, err error) {
	limit := int(min(head-from+1, int64(most)))
	if limit < 1 {
		return nil, w.Catalogue.SameContracts(ctx, w.Store, n)
	}
	for again := true; again; {
		before := tokensWatched(n)
		if blocks, err = n.Scanner.Blocks(ctx, from, limit); err != nil {
			return nil, fmt.Errorf("blocks of %s: %w", n.Name, err)
		}
		if err := w.Catalogue.SameContracts(ctx, w.Store, n); err != nil {
			return nil, err
		}
		again = tokensWatched(n) != before
	}
	return blocks, nil
}

func tokensWatched(n *chains.Network) int {
	if n.Tokens == nil {
		return 0
	}
	return n.Tokens.Watched()
}
