package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// FollowState is where following a network stands, and whether anything is open on it.
type FollowState struct {
	Height  int64 // of the last block followed; -1 before the first
	Hash    string
	Chain   string // the followed chain; "" before the first block
	Halted  bool
	Signed  bool      // some transaction of ours is not final
	Arrived bool      // some transfer is not final
	Waiting bool      // some payin of the merchants is pending
	Asked   time.Time // when the rest was read, by the database's clock
	Hot     string    // the hot wallet whose transactions the followed blocks were looked through for,
	Since   time.Time // since then
	Cold    []string  // the cold addresses, present and former; their holdings are in the books
	Undone  []string  // cold addresses whose holdings are not in the books any more, since a reorganisation
	ByHand  *int64    // the first block with a move by hand whose cost is not known; nil for none
}

// FollowStart asks where a follow job of a network starts.
type FollowStart struct {
	Job     DueJob
	Network string
}

// StartFollows starts one or more follow jobs (see StartJob) and reads where each stands, in one statement; nil in the
// place of a fenced job.
func (s *Store) StartFollows(ctx context.Context, asked []FollowStart, visibility time.Duration) ([]*FollowState, error) {
	refs, attempts, networks := make([]uuid.UUID, len(asked)), make([]int, len(asked)), make([]string, len(asked))
	for i, a := range asked {
		refs[i], attempts[i], networks[i] = a.Job.Ref, a.Job.Attempt, a.Network
	}
	out := make([]*FollowState, len(asked))
	err := pg.Rows(ctx, s.Q, fmt.Sprintf("start following %v", networks), func(rows *sql.Rows) error {
		var place int
		var f FollowState
		var cold, undone string
		if err := rows.Scan(&place, &f.Height, &f.Hash, &f.Halted, &f.Chain, &f.Signed, &f.Arrived, &f.Waiting, &f.Hot, &f.Since, &cold, &undone, &f.ByHand,
			&f.Asked); err != nil {
			return err
		}
		f.Cold, f.Undone = addressesIn(cold), addressesIn(undone)
		out[place-1] = &f
		return nil
	}, "select *, now() from start_follows($1, $2, $3, $4, $5)", asked[0].Job.Kind, refs, attempts, networks, visibility)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// addressesIn returns the addresses of a list with spaces between them, nil for none.
func addressesIn(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, " ")
}

// FollowAdvance is the end of a step along a network.
type FollowAdvance struct {
	Job     DueJob
	Network string
	Chain   string // the followed chain
	Head    int64
	Rule    string        // used to read the head
	Problem string        // why nothing is credited, "" when all is well
	Passed  time.Time     // after the step, the network is known up to this time; zero: as before
	Before  *ChainBlock   // with the first blocks of a network that begins with its head: the block below, where a reorganisation of the head goes back to
	Blocks  []ChainBlock  // the new ones
	After   time.Duration // until the next step
	Final   int64         // followed blocks up to here can no longer vanish
	Clock   *int64        // of the final block, when it was followed; nil: as before
	Hot     string        // the hot wallet whose transactions its blocks were looked through for
}

// AdvanceFollows ends steps in one statement: it adds their blocks, drops blocks out of the window, notes their heads,
// and makes their jobs due again. It returns false for a fenced step and changes nothing for it; inside a transaction
// the caller must roll back.
func (s *Store) AdvanceFollows(ctx context.Context, all []FollowAdvance) ([]bool, error) {
	n := len(all)
	refs, attempts, networks, chains := make([]uuid.UUID, n), make([]int, n), make([]string, n), make([]string, n)
	heads, rules, problems := make([]int64, n), make([]string, n), make([]string, n)
	passed, firsts, waits := make([]*time.Time, n), make([]*int64, n), make([]time.Duration, n)
	finals, clocks, hots := make([]int64, n), make([]*int64, n), make([]string, n)
	var blocks blockArrays
	for i, a := range all {
		refs[i], attempts[i], networks[i], chains[i] = a.Job.Ref, a.Job.Attempt, a.Network, a.Chain
		heads[i], rules[i], problems[i], waits[i] = a.Head, a.Rule, a.Problem, a.After
		finals[i], clocks[i], hots[i] = a.Final, a.Clock, a.Hot
		if !a.Passed.IsZero() {
			passed[i] = &all[i].Passed
		}
		if len(a.Blocks) > 0 {
			firsts[i] = &a.Blocks[0].Height
		}
		if a.Before != nil {
			blocks.add(i+1, []ChainBlock{*a.Before})
		}
		blocks.add(i+1, a.Blocks)
	}
	out := make([]bool, n)
	err := pg.Rows(ctx, s.Q, fmt.Sprintf("advance %v", networks), func(rows *sql.Rows) error {
		var place int
		if err := rows.Scan(&place); err != nil {
			return err
		}
		out[place-1] = true
		return nil
	}, "select * from advance_follows($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)", all[0].Job.Kind, Window,
		refs, attempts, networks, chains, heads, rules, problems, passed, firsts, waits, finals, clocks, hots,
		blocks.steps, blocks.heights, blocks.hashes, blocks.parents)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// blockArrays are blocks of several steps; steps holds the step of each block.
type blockArrays struct {
	steps           []int // from 1
	heights         []int64
	hashes, parents []string
}

func (a *blockArrays) add(step int, blocks []ChainBlock) {
	for _, b := range blocks {
		a.steps, a.heights = append(a.steps, step), append(a.heights, b.Height)
		a.hashes, a.parents = append(a.hashes, b.Hash), append(a.parents, b.Parent)
	}
}
