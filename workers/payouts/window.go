package payouts

import (
	"context"
	"fmt"
	"time"

	"causeway/workers/desk"
)

// gathering is how long a payout still waits for others to share its transaction. It counts from the payout's creation, so one that has
// waited for something else waits no longer.
func (b *broadcast) gathering() time.Duration {
	n := b.network
	if n.Batch <= 1 || n.BatchEvery <= 0 {
		return 0
	}
	return min(n.BatchEvery, time.Until(b.payout.CreatedAt.Add(n.BatchEvery)))
}

// gather leaves a payout until its network's window is over. The first payout whose window is over takes along all that wait.
func (w *Worker) gather(ctx context.Context, b *broadcast, wait time.Duration) error {
	why := fmt.Sprintf("it waits for others to share its transaction: payouts on %s are sent every %s (batch_every)", b.network.Name, b.network.BatchEvery)
	return desk.Fenced(w.Store.RetryJob(ctx, b.job, wait, why))
}
