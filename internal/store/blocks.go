package store

import (
	"context"
	"database/sql"
	"fmt"

	"causeway/internal/pg"
)

// Window is how many blocks of each network are remembered: a deeper reorganisation stops the follower.
const Window = 300

// ChainBlock is a followed block.
type ChainBlock struct {
	Network      string
	Height       int64
	Hash, Parent string
}

// BlocksBelow returns remembered blocks from a height downwards, highest first.
func (s *Store) BlocksBelow(ctx context.Context, network string, from int64, limit int) ([]ChainBlock, error) {
	var out []ChainBlock
	err := s.Q.NewRaw("select * from chain_blocks where network = ? and height <= ? order by height desc limit ?",
		network, from, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read blocks of %s: %w", network, err)
	}
	return out, nil
}

// FollowedTo returns the height of the last block followed, or -1.
func (s *Store) FollowedTo(ctx context.Context, network string) (height int64, err error) {
	err = s.Q.NewRaw("select coalesce(max(height), -1) from chain_blocks where network = ?", network).Scan(ctx, &height)
	return height, one(err, "how far "+network+" was followed")
}

// BlockHashes adds to out the hashes of the remembered blocks at heights.
func (s *Store) BlockHashes(ctx context.Context, network string, heights []int64, out map[int64]string) error {
	return pg.Rows(ctx, s.Q, "read hashes of "+network, func(rows *sql.Rows) error {
		var height int64
		var hash string
		if err := rows.Scan(&height, &hash); err != nil {
			return err
		}
		out[height] = hash
		return nil
	}, `select b.height, b.hash from unnest($2::bigint[]) as w(height),
		lateral (select height, hash from chain_blocks where network = $1 and height = w.height limit 1) b`, network, heights)
}

// StillFollowed reports whether a block is followed, and locks it until this transaction ends: a transaction undoing it
// waits.
func (s *Store) StillFollowed(ctx context.Context, b *ChainBlock) (is bool, err error) {
	err = s.Q.NewRaw(`with its as materialized (select from chain_blocks where network = ? and height = ? and hash = ? for share)
		select exists (select from its)`, b.Network, b.Height, b.Hash).Scan(ctx, &is)
	if err != nil {
		return false, fmt.Errorf("lock block %d of %s: %w", b.Height, b.Network, err)
	}
	return is, nil
}

// ForgetBlocks removes the blocks above a height: the chain has undone them.
func (s *Store) ForgetBlocks(ctx context.Context, network string, above int64) error {
	_, err := s.Q.NewRaw("delete from chain_blocks where network = ? and height > ?", network, above).Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget blocks of %s: %w", network, err)
	}
	return nil
}
