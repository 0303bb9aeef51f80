// Package follow follows networks: transfers to us are seen, credited and made final, transactions of ours are settled, and
// everything undone by a reorganisation is taken back.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Arrivals int // transfers to us; a step with so many takes no further block; arrivalsAtOnce when zero
}

// Worker follows networks.
type Worker struct {
	*desk.Desk
	Catalogue *catalogue.Catalogue
	Pace      Pace
	Running   context.Context                              // of the process serving tasks; nil when there is none
	Next      func(ctx context.Context, j tasks.Job) error // works on the next attempt at once

	groups groups
	spans  spans
}

const (
	blocksAtOnce    = 100  // blocks taken in one step at most
	arrivalsAtOnce  = 1000 // transfers to us; a step with so many takes no further block
	transfersAtOnce = 1000 // credits and finalisations in one step
	openAtOnce      = 500  // transactions of ours looked up in one step
	haltedPause     = 30 * time.Second
	goesOnFor       = 3 * time.Second // of a task's time, steps follow each other
)

// LongestPause is how long a job following a network waits at most after failures.
const LongestPause = 5 * time.Second

// unknownHere is why this worker does not follow a network: it is not configured here any more, or not yet, while a version or a
// networks file is rolled out. The job is left to workers with the network configured.
const unknownHere = "the network is not configured where the job was taken"

// reading is everything a step reads of one network, outside of the transaction that writes the step.
type reading struct {
	job     store.DueJob
	network *chains.Network
	state   *store.FollowState
	head    chains.Head
	asked   int // blocks asked for
	blocks  []chains.Block
	beyond  bool // there may be blocks above these
	mempool bool // pending is the whole mempool
	pending chains.Unmined
	found   []arrival            // transfers to addresses of ours
	inside  []arrival            // transfers in the blocks between addresses of ours, by transactions that are not
	costs   []store.MoveByHand   // moves by hand in final blocks, with their costs
	asides  []store.Aside        // native coin in the blocks that reached or left addresses of ours beside payments
	opening []ledger.Entry       // for the hot wallet's holdings before the first followed block
	cold    []coldOpening        // of cold addresses that are watched from the step's blocks on
	spends  []store.UnknownSpend // movements out of the hot wallet by transactions unknown to our books
	open    []pay.SignedTransaction
	status  map[string]chains.TxStatus
	hashes  map[int64]string // of the followed blocks where status has transactions
	early   store.EarlyHeights
	clock   *int64                // of the final block, if it is followed
	deaths  map[slotName]int64    // dead slots where coins exclude, each with the height of the proof
	coins   slotCoins             // of ours, where coins are spent whole
	copies  map[string]store.Copy // of our transactions in the blocks, under other ids
	sent    []sending             // transactions of our addresses in the blocks, where time alone excludes
	problem string                // for the operator: why nothing is credited or final,
	doubt   string                // or why a transaction of ours is not
}

// writing is everything a step writes, in one transaction.
type writing struct {
	tokens  *catalogue.Table    // as the transaction sees them
	entries []ledger.Entry      // booked by the step
	atOnce  []store.DueTransfer // seen and credited by this step: crediting writes their rows
	more    bool                // there is more than one step takes
}

// FollowNetwork takes everything new on a network: transfers to us are seen, credited and made final by the network's rule,
// transactions of ours are settled, and reorganised blocks are undone. The cost of a step does not grow with merchants or addresses.
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
	r := &reading{job: j, network: n, state: state}
	if state.Chain != "" && state.Chain != n.Chain() { // in a process started before the first block was followed
		err := fmt.Errorf("it is %q here, and %q was followed: another chain needs books of its own", n.Chain(), state.Chain)
		return errors.Join(err, w.noteFailure(ctx, r, err))
	}
	again := false // the next step follows at once
	err = gather.Recover(func() (err error) { again, err = w.followStep(ctx, r); return err })
	switch {
	case errors.Is(err, desk.ErrHalted):
		return w.halt(ctx, r)
	case err != nil:
		return errors.Join(err, w.noteFailure(ctx, r, err))
	}
	if again && w.goesOn(ctx) {
		return w.Next(ctx, tasks.Job{Kind: tasks.FollowNetwork, Ref: j.Ref, Attempt: j.Attempt + 1})
	}
	return nil
}

// note keeps for the operator why a step came to nothing, unless the job is another attempt's by now.
func (w *Worker) note(ctx context.Context, r *reading, why error) error {
	return desk.Fenced(w.Store.NoteFollower(ctx, r.job, r.network.Name, desk.ReasonOf(why), errors.Is(why, desk.ErrHalted)))
}

// noteFailure notes why a step has failed, also when its time was over. A step told to stop has not failed.
func (w *Worker) noteFailure(ctx context.Context, r *reading, why error) error {
	if errors.Is(why, desk.ErrFenced) || errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desk.NoteWithin)
	defer cancel()
	return w.note(ctx, r, why)
}

// halt ends a step after which only a person can say how to go on.
func (w *Worker) halt(ctx context.Context, r *reading) error {
	if err := w.note(ctx, r, desk.ErrHalted); err != nil {
		return err
	}
	w.LogFor(r.network).Error(desk.ErrHalted.Error())
	return w.stayHalted(ctx, r.job)
}

// stayHalted puts the job off for haltedPause, to see whether a person has resumed the network.
func (w *Worker) stayHalted(ctx context.Context, j store.DueJob) error {
	return desk.Fenced(w.Store.RetryJob(ctx, j, haltedPause, desk.ErrHalted.Error()))
}

// goesOn reports whether the next step is begun here, without waiting for the relay to ring it. Only a process serving tasks, and not
// stopping, goes on. It does so for goesOnFor at most, since others wait for the task's place.
func (w *Worker) goesOn(ctx context.Context) bool {
	if w.Running == nil || w.Running.Err() != nil {
		return false
	}
	until, limited := ctx.Deadline()
	return limited && time.Until(until) > tasks.Specs[tasks.FollowNetwork].Timeout-goesOnFor
}

// followStep reads from the network and then writes in one transaction. It reports whether the next step is due at once.
func (w *Worker) followStep(ctx context.Context, r *reading) (again bool, err error) {
	if err := w.readMempool(ctx, r); err != nil {
		return false, err
	}
	if r.head, err = r.network.Scanner.Head(ctx, r.state.Height); err != nil {
		return false, fmt.Errorf("head of %s: %w", r.network.Name, err)
	}
	from := r.state.Height + 1
	if r.state.Height < 0 {
		from = r.network.Start(r.head)
		if r.opening, err = w.openTreasury(ctx, r.network, from-1); err != nil {
			return false, err
		}
		if r.coins.opening, err = openCoins(ctx, r.network, from-1); err != nil {
			return false, err
		}
	}
	if err := w.openCold(ctx, r, from-1); err != nil {
		return false, err
	}
	r.asked = w.spans.next(r.network.Name)
	if r.blocks, err = w.readBlocks(ctx, r.network, from, r.head.Height, r.asked); err != nil {
		return false, err
	}
	r.withoutOpening()
	r.beyond = len(r.blocks) == r.asked && r.followed() < r.head.Height
	undone, err := w.forked(ctx, r)
	if err != nil {
		return false, err
	}
	if undone {
		return false, w.undo(ctx, r)
	}
	if err := w.readOurs(ctx, r); err != nil {
		return false, err
	}
	return w.write(ctx, r)
}

// readMempool reads the mempool before the blocks, while anything is awaited: a transfer mined in between is then in both.
func (w *Worker) readMempool(ctx context.Context, r *reading) (err error) {
	if r.network.Mempool == nil || !r.state.Waiting && !r.state.Arrived {
		return nil
	}
	r.mempool = true
	if r.pending, err = r.network.Mempool.Pending(ctx); err != nil {
		return fmt.Errorf("mempool of %s: %w", r.network.Name, err)
	}
	return nil
}

// readOurs reads the rest of the step: the transfers to us, and the state of our own transactions.
func (w *Worker) readOurs(ctx context.Context, r *reading) (err error) {
	if r.found, err = w.match(ctx, r); err != nil {
		return err
	}
	told := len(r.blocks)
	full := r.cut(cmp.Or(w.Pace.Arrivals, arrivalsAtOnce))
	w.spans.took(r.network.Name, r.asked, told, len(r.blocks), full)
	if err := r.confirm(ctx); err != nil {
		return err
	}
	if r.spends, err = w.unknownSpends(ctx, r); err != nil {
		return err
	}
	if err := w.readByHand(ctx, r); err != nil {
		return err
	}
	if err := w.readSlots(ctx, r); err != nil {
		return err
	}
	if err := w.agree(ctx, r); err != nil {
		return err
	}
	if !r.state.Signed {
		return nil
	}
	return w.statuses(ctx, r)
}

// withoutOpening has the next step open the treasury where it begins, if this one takes no block.
func (r *reading) withoutOpening() {
	if len(r.blocks) == 0 {
		r.opening, r.coins.opening, r.cold = nil, nil, nil
	}
}

// concernsNobody reports whether nothing in the step is ours or is waited for.
func (r *reading) concernsNobody() bool {
	arrived := len(r.found) > 0 || r.state.Arrived
	left := len(r.open) > 0 || len(r.spends) > 0 || !r.coins.none() || len(r.sent) > 0 || len(r.inside) > 0 || len(r.costs) > 0 || len(r.asides) > 0
	return !arrived && !left && len(r.opening) == 0 && len(r.cold) == 0
}

// write records the step. Without anything of ours in it, this is a single statement shared by steps. The step's entries are posted
// last and at once: payouts and the followers of other networks wait for balances, so these are locked in one order and for the
// shortest time.
func (w *Worker) write(ctx context.Context, r *reading) (again bool, err error) {
	if r.concernsNobody() {
		return r.goesOn(), desk.Fenced(w.groups.advanced.Do(ctx, w.advance(r, r.goesOn()), w.Store.AdvanceFollows))
	}
	err = w.Record(ctx, func(tx *store.Store) (ring []tasks.Job, err error) {
		out := &writing{entries: r.opening}
		if out.tokens, err = w.Catalogue.Now(ctx, tx); err != nil {
			return nil, err
		}
		if err := bookCold(ctx, tx, r, out); err != nil {
			return nil, err
		}
		if err := bookAsides(ctx, tx, r, out); err != nil {
			return nil, err
		}
		seen, err := w.see(ctx, tx, r, out)
		if err != nil {
			return nil, err
		}
		credits, full, err := w.credit(ctx, tx, r, out)
		if err != nil {
			return nil, err
		}
		out.more = full
		told, err := w.tellPayins(ctx, tx, seen, credits)
		if err != nil {
			return nil, err
		}
		if err := w.takeSlots(ctx, tx, r); err != nil {
			return nil, err
		}
		settled, err := w.settle(ctx, tx, r, out)
		if err != nil {
			return nil, err
		}
		if err := tx.AddUnknownSpends(ctx, r.spends); err != nil {
			return nil, err
		}
		if err := w.bookByHand(ctx, tx, r, out); err != nil {
			return nil, err
		}
		if _, err := ledger.Post(ctx, tx.Q, out.entries...); err != nil {
			return nil, err
		}
		again = out.more || r.goesOn()
		advanced, err := tx.AdvanceFollows(ctx, []store.FollowAdvance{w.advance(r, again)})
		return append(told, settled...), desk.Fenced(err == nil && advanced[0], err)
	})
	return again, err
}

// goesOn reports whether the next step is due at once. A connector may read fewer blocks than it was asked for, where they are large. A
// single block short of the head is no reason: the node that tells it is behind the one that told the head.
func (r *reading) goesOn() bool {
	return r.beyond || len(r.blocks) > 1 && r.followed() < r.head.Height
}

// advance remembers the blocks and plans the next step: at once when there is more to take, by whoever comes first.
func (w *Worker) advance(r *reading, again bool) store.FollowAdvance {
	blocks := make([]store.ChainBlock, len(r.blocks))
	for i, b := range r.blocks {
		blocks[i] = store.ChainBlock{Network: r.network.Name, Height: b.Height, Hash: b.Hash, Parent: b.Parent}
	}
	var before *store.ChainBlock
	if r.state.Height < 0 && r.network.StartAt < 0 && len(blocks) > 0 && blocks[0].Height > 0 {
		before = &store.ChainBlock{Network: r.network.Name, Height: blocks[0].Height - 1, Hash: blocks[0].Parent}
	}
	after := w.Pace.Idle
	switch {
	case again:
		after = 0
	case r.state.Waiting || r.state.Signed || r.state.Arrived || len(r.found) > 0:
		after = w.Pace.Busy
	}
	return store.FollowAdvance{
		Job: r.job, Network: r.network.Name, Chain: r.network.Chain(), Head: r.head.Height, Rule: r.head.Rule,
		Problem: cmp.Or(r.problem, r.stale(), r.doubt), Before: before, Blocks: blocks, After: after, Passed: r.passed(),
		Final: min(r.head.Final, r.followed()), Clock: r.clock, Hot: r.network.Hot,
	}
}

// followed returns the height of the last block taken by the step or before it.
func (r *reading) followed() int64 {
	if len(r.blocks) > 0 {
		return r.blocks[len(r.blocks)-1].Height
	}
	return r.state.Height
}

func (w *Worker) openAtOnce() int { return cmp.Or(w.Pace.Open, openAtOnce) }

// caughtUp reports whether the step reaches the head.
func (r *reading) caughtUp() bool { return r.followed() >= r.head.Height }

func (w *Worker) networkOf(ref uuid.UUID) *chains.Network {
	for _, n := range w.Networks.All() {
		if tasks.RefOf(n.Name) == ref {
			return n
		}
	}
	return nil
}
