package deliver

import (
	"context"
	"errors"

	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
)

// deliveryGroups are the two statements of a delivery that deliveries share: what is read before it is sent, and what is
// kept when it has ended.
type deliveryGroups struct {
	started gather.Group[store.DueJob, *store.StartedDelivery]
	ended   gather.Group[store.DeliveryEnd, struct{}]
}

// startDeliveries starts jobs and reads their deliveries; nil for one whose job another attempt has.
func (w *Worker) startDeliveries(ctx context.Context, jobs []store.DueJob) ([]*store.StartedDelivery, error) {
	rows, err := w.Store.StartDeliveries(ctx, jobs, tasks.Visibility)
	if err != nil {
		return nil, err
	}
	out := make([]*store.StartedDelivery, len(jobs))
	for i, j := range jobs {
		if row := rows[j]; row != nil {
			own := *row // two tasks of one attempt share nothing
			out[i] = &own
		}
	}
	return out, nil
}

// endDeliveries keeps last tries in one statement, or none of them.
func (w *Worker) endDeliveries(ctx context.Context, ends []store.DeliveryEnd) ([]struct{}, error) {
	err := w.Store.EndDeliveries(ctx, ends)
	if errors.Is(err, store.ErrNotAll) {
		err = desk.ErrFenced
	}
	return make([]struct{}, len(ends)), err
}
