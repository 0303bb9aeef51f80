// Package follow follows networks: transfers to us are seen, credited and made final, transactions of ours are settled, and what a
// reorganisation undid is taken back.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
)

// Pace is how often a network is followed by a step.
type Pace struct {
	Busy time.Duration // while something is open
	Idle time.Duration // while nothing is

	Open     int // transactions of ours looked up in one step; openAtOnce when zero
	Arrivals int // transfers to us, after which a step takes no further block; arrivalsAtOnce when zero
}

// Worker follows networks.
type Worker struct {
	*desk.Desk
	Catalogue *catalogue.Catalogue
	Pace      Pace
	Running   context.Context                              // of the process that serves tasks; nil when there is none
	Next      func(ctx context.Context, j tasks.Job) error // works on the attempt that follows at once

	groups groups
}

const (
	blocksAtOnce    = 100  // blocks taken in one step
	arrivalsAtOnce  = 1000 // transfers to us, after which a step takes no further block
	transfersAtOnce = 1000 // credits and finalisations in one step
	openAtOnce      = 500  // transactions of ours looked up in one step
	haltedPause     = 30 * time.Second
	goesOnFor       = 3 * time.Second // of a task's time, steps follow each other
)

// LongestPause is how long a job that follows a network waits at most after failures.
const LongestPause = 5 * time.Second

// unknownHere is why this worker does not follow a network: it is not configured here any more, or not yet, while a version or
// a networks file is rolled out. The job is left to workers that know the network.
const unknownHere = "the network is not configured where the job was taken"

// step is one run of the follower of one network: what was read outside of the transaction that writes it.
type step struct {
	job     store.DueJob
	network *chains.Network
	state   *store.FollowState
	head    chains.Head
	blocks  []chains.Block
	beyond  bool // there may be blocks above these
	mempool bool // pending is the whole mempool
	pending []chains.Transfer
	found   []arrival            // transfers to addresses of ours
	opening []ledger.Entry       // what the hot wallet held before the first block that is followed
	spends  []store.UnknownSpend // what left the hot wallet by transactions that our books do not know
	open    []pay.SignedTransaction
	status  map[string]chains.TxStatus
	hashes  map[int64]string // of the blocks that were followed where status says that transactions are
	early   store.EarlyHeights
	problem string         // for the operator: why nothing is credited or final,
	doubt   string         // or why a transaction of ours is not
	more    bool           // there is more than one step takes
	again   bool           // the next step follows at once
	entries []ledger.Entry // what the step books

	catalogue *catalogue.Table // as the transaction that writes the step sees it
}

// FollowNetwork takes what is new on a network: transfers to us are seen, credited and made final by the network's rule,
// transactions of ours are settled, and what a reorganisation undid is undone. The cost of a step does not grow with
// merchants or addresses.
func (w *Worker) FollowNetwork(ctx context.Context, j store.DueJob) error {
	n := w.networkOf(j.Ref)
	if n == nil {
		return desk.Fenced(w.Store.RetryJob(ctx, j, LongestPause, unknownHere))
	}
	state, err := w.groups.started.Do(ctx, store.FollowStart{Job: j, Network: n.Name}, w.startFollows)
	if err := desk.Fenced(state != nil, err); err != nil {
		return err
	}
	if state.Halted {
		return w.stayHalted(ctx, j)
	}
	s := &step{job: j, network: n, state: state}
	if state.Chain != "" && state.Chain != n.Chain() { // of a process that was started before the first block was followed
		err := fmt.Errorf("it is %q here, and %q was followed: another chain needs books of its own", n.Chain(), state.Chain)
		return errors.Join(err, w.noteFailure(ctx, s, err))
	}
	err = gather.Recover(func() error { return w.followStep(ctx, s) })
	switch {
	case errors.Is(err, desk.ErrHalted):
		return w.halt(ctx, s)
	case err != nil:
		return errors.Join(err, w.noteFailure(ctx, s, err))
	}
	if s.again && w.goesOn(ctx) {
		return w.Next(ctx, tasks.Job{Kind: tasks.FollowNetwork, Ref: j.Ref, Attempt: j.Attempt + 1})
	}
	return nil
}

// note keeps for the operator why a step came to nothing, unless the job is another attempt's by now.
func (w *Worker) note(ctx context.Context, s *step, why error) error {
	return desk.Fenced(w.Store.NoteFollower(ctx, s.job, s.network.Name, desk.ReasonOf(why), errors.Is(why, desk.ErrHalted)))
}

// noteFailure notes why a step has failed, also when its time was over. That it was told to stop is no failure.
func (w *Worker) noteFailure(ctx context.Context, s *step, why error) error {
	if errors.Is(why, desk.ErrFenced) || errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desk.NoteWithin)
	defer cancel()
	return w.note(ctx, s, why)
}

// halt ends a step after which only a person can say how to go on.
func (w *Worker) halt(ctx context.Context, s *step) error {
	if err := w.note(ctx, s, desk.ErrHalted); err != nil {
		return err
	}
	w.LogFor(s.network).Error(desk.ErrHalted.Error())
	return w.stayHalted(ctx, s.job)
}

// stayHalted puts the job off for haltedPause, to see whether a person has resumed the network.
func (w *Worker) stayHalted(ctx context.Context, j store.DueJob) error {
	return desk.Fenced(w.Store.RetryJob(ctx, j, haltedPause, desk.ErrHalted.Error()))
}

// goesOn reports whether the next step is begun here, without waiting for the relay to ring it: only by a process that serves
// tasks and does not stop, and not for long, since others wait for the place that the task has.
func (w *Worker) goesOn(ctx context.Context) bool {
	if w.Running == nil || w.Running.Err() != nil {
		return false
	}
	until, limited := ctx.Deadline()
	return limited && time.Until(until) > tasks.Specs[tasks.FollowNetwork].Timeout-goesOnFor
}

// followStep reads from the network and then writes in one transaction.
func (w *Worker) followStep(ctx context.Context, s *step) (err error) {
	if err := w.readMempool(ctx, s); err != nil {
		return err
	}
	if s.head, err = s.network.Scanner.Head(ctx, s.state.Height); err != nil {
		return fmt.Errorf("head of %s: %w", s.network.Name, err)
	}
	from := s.state.Height + 1
	if s.state.Height < 0 {
		from = s.network.Start(s.head)
		if s.opening, err = w.openTreasury(ctx, s.network, from-1); err != nil {
			return err
		}
	}
	if s.blocks, err = w.readBlocks(ctx, s.network, from); err != nil {
		return err
	}
	if len(s.blocks) == 0 { // of another node, which is behind: the next step opens the treasury where it begins
		s.opening = nil
	}
	s.beyond = len(s.blocks) == blocksAtOnce
	undone, err := w.forked(ctx, s)
	if err != nil {
		return err
	}
	if undone {
		return w.undo(ctx, s)
	}
	if err := w.readOurs(ctx, s); err != nil {
		return err
	}
	return w.write(ctx, s)
}

// readMempool reads the mempool before the blocks, while anything is awaited: what is mined in between is then in both.
func (w *Worker) readMempool(ctx context.Context, s *step) (err error) {
	if s.network.Mempool == nil || !s.state.Waiting && !s.state.Arrived {
		return nil
	}
	s.mempool = true
	if s.pending, err = s.network.Mempool.Pending(ctx); err != nil {
		return fmt.Errorf("mempool of %s: %w", s.network.Name, err)
	}
	return nil
}

// readOurs reads what else the step needs: which transfers are ours, and where our own transactions stand.
func (w *Worker) readOurs(ctx context.Context, s *step) (err error) {
	if s.found, err = w.match(ctx, s); err != nil {
		return err
	}
	s.cut(cmp.Or(w.Pace.Arrivals, arrivalsAtOnce))
	if s.spends, err = w.unknownSpends(ctx, s); err != nil {
		return err
	}
	if err := w.agree(ctx, s); err != nil {
		return err
	}
	if !s.state.Signed {
		return nil
	}
	return w.statuses(ctx, s)
}

// cut leaves blocks to the next steps, and the mempool with them, once those below bring as many transfers to us as one step takes.
// What anybody may send to our addresses without end must not make a step too long: it would be tried again with the same blocks.
func (s *step) cut(most int) {
	count := map[int64]int{}
	for i := range s.found {
		if h := s.found[i].height; h != nil {
			count[*h]++
		}
	}
	taken := 0
	for i := range s.blocks {
		if taken += count[s.blocks[i].Height]; taken < most || i == len(s.blocks)-1 {
			continue
		}
		s.blocks, s.beyond, s.mempool = s.blocks[:i+1], true, false
		s.found = slices.DeleteFunc(s.found, func(a arrival) bool { return a.height == nil || *a.height > s.followed() })
		return
	}
}

// concernsNobody reports whether nothing in the step is ours or is waited for.
func (s *step) concernsNobody() bool {
	arrived := len(s.found) > 0 || s.state.Arrived
	left := len(s.open) > 0 || len(s.spends) > 0
	return !arrived && !left && len(s.opening) == 0
}

// write records the step. Without anything of ours in it that is a single statement, which steps share. What it books is
// posted last and at once: balances, for which payouts and the followers of other networks wait, are locked in one order and
// for the shortest time.
func (w *Worker) write(ctx context.Context, s *step) error {
	if s.concernsNobody() {
		return desk.Fenced(w.groups.advanced.Do(ctx, w.advance(s), w.Store.AdvanceFollows))
	}
	return w.Record(ctx, func(tx *store.Store) (ring []tasks.Job, err error) {
		s.entries = s.opening
		if s.catalogue, err = w.Catalogue.Now(ctx, tx); err != nil {
			return nil, err
		}
		payins, err := w.see(ctx, tx, s)
		if err != nil {
			return nil, err
		}
		credits, full, err := w.credit(ctx, tx, s)
		if err != nil {
			return nil, err
		}
		s.more = full
		told, err := w.tellPayins(ctx, tx, payins, credits)
		if err != nil {
			return nil, err
		}
		settled, err := w.settle(ctx, tx, s)
		if err != nil {
			return nil, err
		}
		if err := tx.AddUnknownSpends(ctx, s.spends); err != nil {
			return nil, err
		}
		if _, err := ledger.Post(ctx, tx.Q, s.entries...); err != nil {
			return nil, err
		}
		advanced, err := tx.AdvanceFollows(ctx, []store.FollowAdvance{w.advance(s)})
		return append(told, settled...), desk.Fenced(err == nil && advanced[0], err)
	})
}

// advance remembers the blocks and plans the next step: at once when there is more to take, by whoever comes first.
func (w *Worker) advance(s *step) store.FollowAdvance {
	blocks := make([]store.ChainBlock, len(s.blocks))
	for i, b := range s.blocks {
		blocks[i] = store.ChainBlock{Network: s.network.Name, Height: b.Height, Hash: b.Hash, Parent: b.Parent}
	}
	var before *store.ChainBlock
	if s.state.Height < 0 && s.network.StartAt < 0 && len(blocks) > 0 && blocks[0].Height > 0 {
		before = &store.ChainBlock{Network: s.network.Name, Height: blocks[0].Height - 1, Hash: blocks[0].Parent}
	}
	s.again = s.more || s.beyond
	after := w.Pace.Idle
	switch {
	case s.again:
		after = 0
	case s.state.Waiting || s.state.Signed || s.state.Arrived || len(s.found) > 0:
		after = w.Pace.Busy
	}
	return store.FollowAdvance{
		Job: s.job, Network: s.network.Name, Chain: s.network.Chain(), Head: s.head.Height, Rule: s.head.Rule,
		Problem: cmp.Or(s.problem, s.stale(), s.doubt), Before: before, Blocks: blocks, After: after, Passed: s.passed(),
	}
}

// followed returns the height of the last block that the step takes or that was taken before.
func (s *step) followed() int64 {
	if len(s.blocks) > 0 {
		return s.blocks[len(s.blocks)-1].Height
	}
	return s.state.Height
}

func (w *Worker) openAtOnce() int { return cmp.Or(w.Pace.Open, openAtOnce) }

// caughtUp reports whether the step reaches the head.
func (s *step) caughtUp() bool { return s.followed() >= s.head.Height }

func (w *Worker) networkOf(ref uuid.UUID) *chains.Network {
	for _, n := range w.Networks.All() {
		if tasks.RefOf(n.Name) == ref {
			return n
		}
	}
	return nil
}
