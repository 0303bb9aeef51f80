package scheduler

import (
	"context"
	"fmt"

	"causeway/internal/store"
	"causeway/tasks"
)

// Plan adds the permanent jobs wherever they are missing: one per periodic kind, one per followed network. Each reschedules itself;
// none is ever there twice.
func Plan(ctx context.Context, s *store.Store, networks []string) error {
	for kind, spec := range tasks.Specs {
		if spec.Every == 0 {
			continue
		}
		if err := s.PlanJob(ctx, string(kind), tasks.RefOf(string(kind))); err != nil {
			return fmt.Errorf("plan %s: %w", kind, err)
		}
	}
	for _, name := range networks {
		if err := s.PlanJob(ctx, string(tasks.FollowNetwork), tasks.RefOf(name)); err != nil {
			return fmt.Errorf("plan following %s: %w", name, err)
		}
	}
	return nil
}
