package follow

import (
	"context"
	"fmt"

	"causeway/chains"
)

// confirm has a second node tell the transfers that came to us. The step ends below the first block with one that is not confirmed: the
// next step reads this block again. It fails if nodes contradict each other about its first block.
func (r *reading) confirm(ctx context.Context) error {
	if r.network.Confirm == nil {
		return nil
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		came := r.cameIn(b.Height)
		if len(came) == 0 {
			continue
		}
		confirmed, err := r.network.Confirm(ctx, chains.Mark{Height: b.Height, Hash: b.Hash}, came)
		if err == nil && confirmed {
			continue
		}
		r.beyond = false
		r.keep(i)
		if err != nil && i == 0 {
			return fmt.Errorf("transfers in block %d of %s: %w", b.Height, r.network.Name, err)
		}
		break
	}
	return nil
}

// cameIn returns what came to addresses of ours in a block, also from others of ours.
func (r *reading) cameIn(height int64) (out []chains.Transfer) {
	for _, arrivals := range [][]arrival{r.found, r.inside} {
		for i := range arrivals {
			if h := arrivals[i].height; h != nil && *h == height {
				out = append(out, arrivals[i].Transfer)
			}
		}
	}
	return out
}
