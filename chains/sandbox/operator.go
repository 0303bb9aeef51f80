package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// Operator shows and changes the sandbox networks for a person (operator §Sandbox networks). Its errors are lines for this
// person. Networks are given by their names or aliases.
type Operator struct{ DB *bun.DB }

// Mine adds blocks to a network at once and returns its height.
func (o Operator) Mine(ctx context.Context, network string, blocks int) (height int64, err error) {
	n, err := called(network)
	if err != nil {
		return 0, err
	}
	if blocks < 1 {
		return 0, errors.New("at least one block can be mined")
	}
	err = o.locked(ctx, n, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("select sandbox_mine(array[?], ?)", n.Name, blocks).Exec(ctx); err != nil {
			return fmt.Errorf("mine on %s: %w", n.Name, err)
		}
		height, err = currentHeight(ctx, tx, n)
		return err
	})
	return height, err
}

// Reorg replaces the newest blocks of a network by one block more and returns its height. Transactions in drop vanish,
// from those blocks or from the mempool; the others are mined again.
func (o Operator) Reorg(ctx context.Context, network string, depth int, drop ...string) (height int64, err error) {
	n, err := called(network)
	if err != nil {
		return 0, err
	}
	err = o.locked(ctx, n, func(ctx context.Context, tx bun.Tx) error {
		height, err = currentHeight(ctx, tx, n)
		if err != nil {
			return err
		}
		if depth < 1 || int64(depth) >= height {
			return fmt.Errorf("a reorganisation of %s can be 1 to %d blocks deep, not %d", n.Name, height-1, depth)
		}
		if err := canDrop(ctx, tx, n, height-int64(depth)+1, drop); err != nil {
			return err
		}
		const query = `select sandbox_reorg(?, ?, array(select jsonb_array_elements_text(?::jsonb)))`
		list, err := json.Marshal(append([]string{}, drop...))
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(query, n.Name, depth, string(list)).Exec(ctx); err != nil {
			return fmt.Errorf("reorganise %s: %w", n.Name, err)
		}
		height++
		return nil
	})
	return height, err
}

// canDrop checks that every txid is in the mempool or in a block from this height on.
func canDrop(ctx context.Context, tx bun.Tx, n pay.Network, from int64, drop []string) error {
	if len(drop) == 0 {
		return nil
	}
	var there []string
	const query = `select txid from sandbox_transactions where network = ? and txid in (?) and (height >= ? or state = 'pending')`
	if err := tx.NewRaw(query, n.Name, bun.List(drop), from).Scan(ctx, &there); err != nil {
		return fmt.Errorf("look up what to drop: %w", err)
	}
	found := make(map[string]bool, len(there))
	for _, txid := range there {
		found[txid] = true
	}
	for _, txid := range drop {
		if !found[txid] {
			return fmt.Errorf("%s is neither in the mempool of %s nor in a block from %d on", txid, n.Name, from)
		}
	}
	return nil
}

// locked runs work in a transaction with the sole right to change the network.
func (o Operator) locked(ctx context.Context, n pay.Network, work func(context.Context, bun.Tx) error) error {
	return o.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var name string
		err := tx.NewRaw("select network from sandbox_networks where network = ? for update", n.Name).Scan(ctx, &name)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s is not a sandbox network here", n.Name)
		}
		if err != nil {
			return fmt.Errorf("lock %s: %w", n.Name, err)
		}
		return work(ctx, tx)
	})
}

func currentHeight(ctx context.Context, tx bun.Tx, n pay.Network) (height int64, err error) {
	if err := tx.NewRaw("select height from sandbox_networks where network = ?", n.Name).Scan(ctx, &height); err != nil {
		return 0, fmt.Errorf("read the height of %s: %w", n.Name, err)
	}
	return height, nil
}

func called(network string) (pay.Network, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok {
		return pay.Network{}, fmt.Errorf("there is no network %q", network)
	}
	return *n, nil
}
