package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// FollowState is where following a network stands, and whether anything is open on it.
type FollowState struct {
	Height  int64 // of the last block followed; -1 before the first
	Hash    string
	Chain   string // that was followed; "" before the first block
	Halted  bool
	Signed  bool      // some transaction of ours is not final
	Arrived bool      // some transfer is not final
	Waiting bool      // some payin of the merchants is pending
	Asked   time.Time // when that was so, by the database's clock
}

// FollowStart asks where a follow job of a network starts.
type FollowStart struct {
	Job     DueJob
	Network string
}

// StartFollows starts one or more follow jobs (see StartJob) and reads where each stands, in one statement; nil in the place of
// one that is fenced. What is open is asked for in the order of its index: while much is open, a plan would else read the table
// from its start, where nothing is.
func (s *Store) StartFollows(ctx context.Context, asked []FollowStart, visibility time.Duration) ([]*FollowState, error) {
	refs, attempts, networks := make([]uuid.UUID, len(asked)), make([]int, len(asked)), make([]string, len(asked))
	for i, a := range asked {
		refs[i], attempts[i], networks[i] = a.Job.Ref, a.Job.Attempt, a.Network
	}
	var rows []struct {
		N int
		FollowState
	}
	err := s.Q.NewRaw(`with asked as materialized (
			select * from unnest(?0::uuid[], ?1::int[], ?2::text[]) with ordinality as a(ref, attempt, network, n)),
		mine as materialized (
			select j.* from (select distinct ref, attempt from asked order by 1, 2) a,
				lateral (select ref, attempt from jobs j where j.attempt = a.attempt and j.kind = ?3 and j.ref = a.ref for update) j),
		started as (
			update jobs j set run_at = now() + ?4 * interval '1 microsecond' from mine
			where j.kind = ?3 and j.ref = mine.ref returning j.ref, j.attempt)
		select a.n, coalesce(b.height, -1) as height, coalesce(b.hash, '') as hash, coalesce(f.halted, false) as halted, coalesce(f.chain, '') as chain,
			(select true from signed_transactions where network = a.network and open order by address, nonce limit 1) is true as signed,
			(select true from transfers where network = a.network and open order by height limit 1) is true as arrived,
			(select true from payins where status = 'pending' order by expires_at limit 1) is true as waiting, now() as asked
		from asked a join started using (ref, attempt)
		left join lateral (select height, hash from chain_blocks where network = a.network order by height desc limit 1) b on true
		left join followers f on f.network = a.network`,
		pgArray(refs), pgArray(attempts), pgArray(networks), asked[0].Job.Kind, visibility.Microseconds()).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("start following %v: %w", networks, err)
	}
	out := make([]*FollowState, len(asked))
	for i := range rows {
		out[rows[i].N-1] = &rows[i].FollowState
	}
	return out, nil
}

// FollowAdvance is the end of a step along a network.
type FollowAdvance struct {
	Job     DueJob
	Network string
	Chain   string // that is followed
	Head    int64
	Rule    string        // by which the head was read
	Problem string        // why nothing is credited, "" when all is well
	Passed  time.Time     // what was on the network then is known after the step; zero: as before
	Before  *ChainBlock   // the block before the first that is ever followed, to which a reorganisation of that goes back; else nil
	Blocks  []ChainBlock  // that are new
	After   time.Duration // until the next step
}

// noBlock is the height of no block.
const noBlock = -1

// AdvanceFollows remembers new blocks, forgets those out of the window, notes the heads, and of a network that was never followed
// its first block, and makes the follow jobs due again, in
// one statement; false in the place of one that is fenced, for which it changes nothing: in a transaction the caller must roll
// back what else is in it.
func (s *Store) AdvanceFollows(ctx context.Context, all []FollowAdvance) ([]bool, error) {
	var blocks blockArrays
	n := len(all)
	refs, attempts, networks := make([]uuid.UUID, n), make([]int, n), make([]string, n)
	rules, problems, passed, chains := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	heads, afters, firsts := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, a := range all {
		refs[i], attempts[i], networks[i], rules[i], problems[i] = a.Job.Ref, a.Job.Attempt, a.Network, a.Rule, a.Problem
		heads[i], afters[i], firsts[i], chains[i] = a.Head, a.After.Microseconds(), noBlock, a.Chain
		if !a.Passed.IsZero() {
			passed[i] = a.Passed.Format(time.RFC3339Nano)
		}
		if len(a.Blocks) > 0 {
			firsts[i] = a.Blocks[0].Height
		}
		if a.Before != nil {
			blocks.add(i+1, []ChainBlock{*a.Before})
		}
		blocks.add(i+1, a.Blocks)
	}
	var advanced []int
	err := s.Q.NewRaw(`with mine as materialized (
			select a.* from (
				select distinct on (ref, attempt) *
				from unnest(?0::uuid[], ?1::int[], ?2::text[], ?3::bigint[], ?4::text[], ?5::bigint[], ?12::text[], ?13::text[], ?14::bigint[], ?16::text[])
					with ordinality as a(ref, attempt, network, head, rule, after, problem, passed, first, chain, n)
				order by ref, attempt, n) a,
				lateral (select from jobs j where j.attempt = a.attempt and j.kind = ?11 and j.ref = a.ref for update) j),
		fresh as (
			insert into chain_blocks (network, height, hash, parent)
			select m.network, b.height, b.hash, b.parent
			from unnest(?6::int[], ?7::bigint[], ?8::text[], ?9::text[]) as b(n, height, hash, parent) join mine m on m.n = b.n
			returning network, height),
		stale as (
			delete from chain_blocks where ctid = any(array(
				select b.ctid from (select network, max(height) - ?10 as first from fresh group by network) f,
					lateral (select ctid from chain_blocks where network = f.network and height < f.first order by height) b))),
		noted as (
			insert into followers as f (network, head, chain, rule, error, passed_until, followed_from)
			select network, head, chain, rule, nullif(problem, ''), nullif(passed, '')::timestamptz, nullif(first, ?15) from mine
			on conflict (network) do update set head = excluded.head, chain = coalesce(nullif(f.chain, ''), excluded.chain), rule = excluded.rule, error = excluded.error,
				followed_from = coalesce(f.followed_from, excluded.followed_from),
				passed_until = coalesce(excluded.passed_until, f.passed_until), updated_at = now())
		update jobs j set run_at = now() + m.after * interval '1 microsecond', last_error = null, attempt = j.attempt + 1, failures = 0
		from mine m where j.kind = ?11 and j.ref = m.ref returning m.n`,
		pgArray(refs), pgArray(attempts), pgArray(networks), pgArray(heads), pgArray(rules), pgArray(afters),
		pgArray(blocks.of), pgArray(blocks.heights), pgArray(blocks.hashes), pgArray(blocks.parents), Window, all[0].Job.Kind,
		pgArray(problems), pgArray(passed), pgArray(firsts), noBlock, pgArray(chains)).Scan(ctx, &advanced)
	if err != nil {
		return nil, fmt.Errorf("advance %v: %w", networks, err)
	}
	out := make([]bool, n)
	for _, i := range advanced {
		out[i-1] = true
	}
	return out, nil
}

// blockArrays are blocks of several steps, of which each says whose it is.
type blockArrays struct {
	of              []int
	heights         []int64
	hashes, parents []string
}

func (a *blockArrays) add(of int, blocks []ChainBlock) {
	for _, b := range blocks {
		a.of, a.heights = append(a.of, of), append(a.heights, b.Height)
		a.hashes, a.parents = append(a.hashes, b.Hash), append(a.parents, b.Parent)
	}
}
