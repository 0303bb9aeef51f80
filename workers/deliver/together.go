package deliver

import (
	"context"
	"errors"

	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
)

// deliveryGroups are the two statements shared by deliveries: the one reading them before they are sent, and the one keeping their
// ends.
type deliveryGroups struct {
	started gather.Group[store.DueJob, *store.StartedDelivery]
	ended   gather.Group[store.DeliveryEnd, struct{}]
}

// startDeliveries starts jobs and reads their deliveries; nil for a job taken by another attempt.
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
