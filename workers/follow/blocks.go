package follow

import (
	"context"
	"fmt"

	"causeway/chains"
)

// readBlocks reads blocks with all tokens of the catalogue watched. A token may be added, and paid, while blocks are read: they are
// read again then.
func (w *Worker) readBlocks(ctx context.Context, n *chains.Network, from int64) (blocks []chains.Block, err error) {
	for again := true; again; {
		before := tokensWatched(n)
		if blocks, err = n.Scanner.Blocks(ctx, from, blocksAtOnce); err != nil {
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
