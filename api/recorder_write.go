package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	recordLimit  = 10 * time.Second // for one group, with all its tries
	attemptLimit = 5 * time.Second  // for one try
	firstPause   = 5 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// write decides a group in one call. A call refused by the database, or ended by a panic, is done again request by
// request, and a refused request item by item (addendum §12).
func (r *Recorder) write(group []*submission) {
	if len(group) == 1 {
		r.writeAlone(group[0], false)
		return
	}
	var items []store.PayoutItem
	for _, request := range group {
		items = append(items, request.items...)
	}
	outcomes, err := r.decide(items, false)
	for _, request := range group {
		switch {
		case err == nil:
			n := len(request.items)
			request.outcomes, outcomes = outcomes[:n:n], outcomes[n:]
		case errors.Is(err, gather.ErrPanic) || refusedForCertain(err):
			r.writeAlone(request, true)
		default:
			request.err = err
		}
	}
}

// errRestUntried means nothing was tried for the items after the failed one.
var errRestUntried = errors.New("the items before it are decided, those after it untried")

func (r *Recorder) writeAlone(request *submission, unsure bool) {
	request.outcomes, request.err = r.decide(request.items, unsure)
	if !refusedForCertain(request.err) || len(request.items) == 1 {
		return
	}
	request.outcomes, request.err = nil, nil
	for _, item := range request.items {
		outcomes, err := r.decide([]store.PayoutItem{item}, true)
		if err != nil {
			request.err = fmt.Errorf("%w: %w", errRestUntried, err)
			return
		}
		request.outcomes = append(request.outcomes, outcomes...)
	}
}

// decide records items in one call, until their outcome is certain, and rings the created ones. unsure means an earlier
// call may have recorded them.
func (r *Recorder) decide(items []store.PayoutItem, unsure bool) (outcomes []store.PayoutOutcome, err error) {
	err = gather.Recover(func() error {
		return untilCertain(r.store, func(ctx context.Context, again bool) error {
			outcomes, err = r.store.RecordPayouts(ctx, items)
			if err == nil && (unsure || again) {
				err = recogniseOwn(ctx, r.store, items, outcomes)
			}
			if err == nil && slices.ContainsFunc(outcomes, store.PayoutOutcome.Duplicate) {
				err = r.store.Confirm(ctx)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	r.ring(items, outcomes)
	return outcomes, nil
}

// ring puts the created payouts on the queue, in the background.
func (r *Recorder) ring(items []store.PayoutItem, outcomes []store.PayoutOutcome) {
	created := make([]uuid.UUID, 0, len(outcomes))
	for i, o := range outcomes {
		if o.Outcome == outcomeCreated {
			created = append(created, items[i].Payout.ID)
		}
	}
	r.bell.ring(created)
}

// recogniseOwn corrects outcomes after a try with an uncertain commit: a payout found with the very id we gave it was
// created by the try. The call before has waited for it, since both lock the same balances.
func recogniseOwn(ctx context.Context, s *store.Store, items []store.PayoutItem, outcomes []store.PayoutOutcome) error {
	var ids []uuid.UUID
	for i, o := range outcomes {
		if o.Outcome != outcomeCreated {
			ids = append(ids, items[i].Payout.ID)
		}
	}
	ours, err := s.RecordedPayouts(ctx, ids)
	if err != nil {
		return err
	}
	for i := range outcomes {
		if ours[items[i].Payout.ID] {
			outcomes[i].Outcome = outcomeCreated
		}
	}
	return nil
}

// confirmer waits for the replica of rows found again: a store.
type confirmer interface {
	Confirm(ctx context.Context) error
}

// untilCertain runs try until it succeeds or fails for certain, within recordLimit and apart from any client. unsure
// means an earlier try may have been committed. Then what the last one found is confirmed, and so is a reference that is taken. The last error stays when the time is up.
func untilCertain(found confirmer, try func(ctx context.Context, unsure bool) error) error {
	all, cancel := context.WithTimeout(context.Background(), recordLimit)
	defer cancel()
	unsure := false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		ctx, cancel := context.WithTimeout(all, attemptLimit)
		err := try(ctx, unsure)
		if err == nil && unsure || tellsOfAnother(err) {
			err = cmp.Or(found.Confirm(ctx), err)
		}
		cancel()
		if err == nil || refusedForCertain(err) {
			return err
		}
		unsure = unsure || !store.IsRace(err)
		select {
		case <-all.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// tellsOfAnother reports whether a refusal says that a row with the reference is there already: its client takes it for an earlier
// request's.
func tellsOfAnother(err error) bool {
	return errors.Is(err, errDuplicatePayin) || errors.Is(err, errDuplicateRequest) || errors.Is(err, errDuplicateRefund) || errors.Is(err, errSlugTaken) || errors.Is(err, errDuplicate)
}

// refusedForCertain reports whether nothing was recorded and trying again would not help: the database refused, or we.
func refusedForCertain(err error) bool {
	var ours *pay.Error
	return store.IsRolledBack(err) || errors.As(err, &ours)
}
