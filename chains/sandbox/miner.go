package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// mineDue mines every network without a block since the last full multiple of the block time. The condition is looked at again
// once the row is locked, so each tick happens once, however many processes mine.
const mineDue = `select sandbox_mine(array(
	select network from sandbox_networks
	where mined_at < date_bin(make_interval(secs => ?), now(), timestamptz 'epoch')
	order by network for update), 1)`

// Miner makes the blocks of all sandbox networks. Any number of processes may run one.
type Miner struct {
	DB        *bun.DB
	BlockTime time.Duration // SANDBOX_BLOCK_TIME; 0 = blocks come only by hand
	Failed    func(error)   // told when a block could not be made; the next one is tried in its time
}

// Run mines until the context ends: one statement for each block time, whatever the number of networks.
func (m *Miner) Run(ctx context.Context) {
	if m.BlockTime <= 0 {
		<-ctx.Done()
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if err := m.Tick(ctx); err != nil && ctx.Err() == nil && m.Failed != nil {
			m.Failed(err)
		}
		timer.Reset(m.untilNext(time.Now()))
	}
}

// untilNext is the wait for the next full multiple of the block time, and a twentieth more, so a process with a clock a little
// ahead of the database's does not come just too early.
func (m *Miner) untilNext(now time.Time) time.Duration {
	next := now.Truncate(m.BlockTime).Add(m.BlockTime)
	return next.Sub(now) + m.BlockTime/20
}

// Tick mines the networks due now.
func (m *Miner) Tick(ctx context.Context) error {
	if _, err := m.DB.NewRaw(mineDue, m.BlockTime.Seconds()).Exec(ctx); err != nil {
		return fmt.Errorf("mine the sandbox networks: %w", err)
	}
	return nil
}
