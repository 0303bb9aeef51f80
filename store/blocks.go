package store

import (
	"context"
	"database/sql"
	"fmt"

	"causeway/pay"
)

// Window is how many blocks of each network are remembered: a deeper reorganisation stops the follower.
const Window = 300

// ChainBlock is a block that was followed.
type ChainBlock struct {
	Network      string
	Height       int64
	Hash, Parent string
}

// FollowState is where following a network stands, and whether anything is open on it.
type FollowState struct {
	Height  int64 // of the last block followed; -1 before the first
	Hash    string
	Halted  bool
	Signed  bool // some transaction of ours is not final
	Arrived bool // some transfer is not final
	Waiting bool // some payin of the merchants is pending
}

// BlocksBelow answers remembered blocks from a height downwards, highest first.
func (s *Store) BlocksBelow(ctx context.Context, network string, from int64, limit int) ([]ChainBlock, error) {
	var out []ChainBlock
	err := s.Q.NewRaw("select * from chain_blocks where network = ? and height <= ? order by height desc limit ?",
		network, from, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read blocks of %s: %w", network, err)
	}
	return out, nil
}

// BlockHashes adds to out the hashes of the remembered blocks at heights.
func (s *Store) BlockHashes(ctx context.Context, network string, heights []int64, out map[int64]string) error {
	return s.preparedRows(ctx, "read hashes of "+network, func(rows *sql.Rows) error {
		var height int64
		var hash string
		err := rows.Scan(&height, &hash)
		out[height] = hash
		return err
	}, `select b.height, b.hash from unnest($2::bigint[]) as w(height),
		lateral (select height, hash from chain_blocks where network = $1 and height = w.height limit 1) b`, network, heights)
}

// ForgetBlocks removes the blocks above a height: the chain has undone them.
func (s *Store) ForgetBlocks(ctx context.Context, network string, above int64) error {
	_, err := s.Q.NewRaw("delete from chain_blocks where network = ? and height > ?", network, above).Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget blocks of %s: %w", network, err)
	}
	return nil
}

// NoteFollower keeps what stops a follower, for the operator, when this attempt is still its job's own; halted lasts until a
// person resumes it.
func (s *Store) NoteFollower(ctx context.Context, j DueJob, network, problem string, halted bool) (bool, error) {
	res, err := s.Q.NewRaw(`with mine as materialized (select from jobs where kind = ?3 and ref = ?4 and attempt = ?5 for update)
		insert into followers (network, error, halted) select ?0, nullif(?1, ''), ?2 from mine
		on conflict (network) do update set error = excluded.error, halted = excluded.halted, updated_at = now()`,
		network, problem, halted, j.Kind, j.Ref, j.Attempt).Exec(ctx)
	return changed(res, err, "note follower of "+network)
}

// Place is where a transfer can go: the spelling under which an address is found, and the memo where there is one.
type Place struct{ Match, Memo string }

// AddressesAt answers our addresses of a family at the given places or, without their memo, at their addresses. Where a
// memo was used again, the newest has it.
func (s *Store) AddressesAt(ctx context.Context, family pay.Family, places []Place) (map[Place]*pay.Address, error) {
	wanted := make(map[Place]bool, len(places))
	for _, p := range places {
		wanted[p], wanted[Place{Match: p.Match}] = true, true
	}
	var matches, memos []string
	for p := range wanted {
		matches, memos = append(matches, p.Match), append(memos, p.Memo)
	}
	out := make(map[Place]*pay.Address, len(wanted))
	err := s.preparedRows(ctx, "match addresses", func(rows *sql.Rows) error {
		a := new(pay.Address)
		err := rows.Scan(&a.ID, &a.Family, &a.Match, &a.Address, &a.Memo, &a.Position, &a.PayinID, &a.WalletID)
		out[Place{a.Match, a.Memo}] = a
		return err
	}, "select id, family, match, address, memo, position, payin_id, wallet_id from addresses_at($1, $2, $3)", string(family), matches, memos)
	return out, err
}

// SharedAddresses answers which of the given spellings are addresses of ours that memos tell apart.
func (s *Store) SharedAddresses(ctx context.Context, family pay.Family, matches []string) (map[string]bool, error) {
	var rows []string
	err := s.Q.NewRaw(`select p.match from (select distinct match from unnest(?::text[]) as u(match)) p
		where exists (select from addresses a where a.family = ? and a.match = p.match and a.memo <> '')`, pgArray(matches), family).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("match shared addresses: %w", err)
	}
	out := make(map[string]bool, len(rows))
	for _, match := range rows {
		out[match] = true
	}
	return out, nil
}
