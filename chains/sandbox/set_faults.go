package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"
)

// SetFaults changes the named faults and returns all present ones.
func (o Operator) SetFaults(ctx context.Context, network string, changes map[string]string) (Faults, error) {
	return o.changeFaults(ctx, network, func(f *Faults) error { return f.setAll(changes) })
}

// CheckFaults returns why SetFaults cannot make these changes.
func CheckFaults(changes map[string]string) error { return new(Faults).setAll(changes) }

func (f *Faults) setAll(changes map[string]string) error {
	for name, value := range changes {
		if err := f.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// ClearFaults ends all faults of a network.
func (o Operator) ClearFaults(ctx context.Context, network string) (Faults, error) {
	return o.changeFaults(ctx, network, func(f *Faults) error {
		*f = Faults{}
		return nil
	})
}

func (o Operator) changeFaults(ctx context.Context, network string, change func(*Faults) error) (f Faults, err error) {
	n, err := called(network)
	if err != nil {
		return Faults{}, err
	}
	err = o.locked(ctx, n, func(ctx context.Context, tx bun.Tx) error {
		const current = "select faults from sandbox_networks where network = ?"
		if err := tx.NewRaw(current, n.Name).Scan(ctx, asJSON(&f)); err != nil {
			return fmt.Errorf("read the faults: %w", err)
		}
		if err := change(&f); err != nil {
			return err
		}
		content, err := json.Marshal(f)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("update sandbox_networks set faults = ?::jsonb where network = ?", string(content), n.Name).Exec(ctx)
		return err
	})
	return f, err
}
