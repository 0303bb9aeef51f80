package api

import (
	"time"

	"github.com/google/uuid"

	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/tasks"
)

const (
	recorderBeside = 1                     // groups written beside the first
	lanePatience   = 20 * time.Millisecond // a second group begins when the first has taken this long
	largeGroup     = 100                   // or when this many items wait
	groupSize      = 256                   // items in one call to the database, at most
)

// Recorder writes payouts in groups: requests of any merchants arriving while the previous groups are being written go
// to the database together. One call decides each item on its own (docs/internals.md §API front). An item answered
// as created is committed.
type Recorder struct {
	lanes *gather.Lanes[*submission]
	store *store.Store
	bell  *bell
}

// submission is one request's items on their way. They are never split over groups.
type submission struct {
	items    []store.PayoutItem
	outcomes []store.PayoutOutcome // of the first items; fewer than items only with err
	err      error
	done     chan struct{}
}

// NewRecorder makes a recorder. It rings committed jobs, and tells warn when ringing fails.
func NewRecorder(s *store.Store, ring tasks.Ringer, warn func(error)) *Recorder {
	r := &Recorder{store: s, bell: newBell(ring, warn)}
	r.lanes = gather.New(r.rules())
	return r
}

func (r *Recorder) rules() gather.Rules[*submission] {
	return gather.Rules[*submission]{
		Take: distinct, Work: r.record, Failed: tellRequests,
		Beside: &gather.Beside[*submission]{Lanes: recorderBeside, Patience: lanePatience,
			Enough: func(waiting []*submission) bool { return itemsOf(waiting, largeGroup) >= largeGroup }},
	}
}

// itemsOf counts the items of requests, and stops at enough.
func itemsOf(requests []*submission, enough int) (items int) {
	for _, request := range requests {
		if items += len(request.items); items >= enough {
			break
		}
	}
	return items
}

// Record decides the items of one request and returns once they are committed, whatever becomes of the client. With an
// error the outcomes are those of the items before the failed one; the ones after it were not attempted.
func (r *Recorder) Record(items []store.PayoutItem) ([]store.PayoutOutcome, error) {
	if len(items) == 0 {
		return nil, nil
	}
	request := &submission{items: items, done: make(chan struct{})}
	r.lanes.Add(request)
	<-request.done
	return request.outcomes, request.err
}

// record writes a group and answers its requests.
func (r *Recorder) record(group []*submission) {
	r.write(group)
	tellRequests(group, nil)
}

// tellRequests ends a group. err stands for the requests of unknown outcome.
func tellRequests(group []*submission, err error) {
	for _, request := range group {
		if request.err == nil && len(request.outcomes) < len(request.items) {
			request.err = err
		}
		close(request.done)
	}
}

// distinct chooses the next group. Requests sharing a reference go one after the other: within one call neither would be seen
// as the earlier one.
func distinct(waiting []*submission) (group, later []*submission) {
	taken, room := map[referenceOf]bool{}, groupSize
	for i, request := range waiting {
		if room <= 0 {
			return group, append(later, waiting[i:]...)
		}
		if len(request.items) > room || !reserve(taken, request.items) {
			later = append(later, request)
			continue
		}
		group, room = append(group, request), room-len(request.items)
	}
	return group, later
}

type referenceOf struct {
	merchant  uuid.UUID
	reference string
}

// reserve takes the references of all items, or none when one is taken.
func reserve(taken map[referenceOf]bool, items []store.PayoutItem) bool {
	for _, item := range items {
		if taken[referenceOf{item.Payout.MerchantID, item.Payout.ReferenceID}] {
			return false
		}
	}
	for _, item := range items {
		taken[referenceOf{item.Payout.MerchantID, item.Payout.ReferenceID}] = true
	}
	return true
}
