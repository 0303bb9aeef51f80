package people

import (
	"context"
	"slices"

	"causeway/internal/message"
	"causeway/internal/store"
)

// ownPage is a person's own page of the panel, below PUBLIC_BASE_URL.
const ownPage = message.SwitchesPage

// Tell records a message to a person about themselves, unless they do not want to be told of the topic.
func Tell(ctx context.Context, tx *store.Store, p *store.Person, topic message.Topic, line string) error {
	quiet, err := tx.QuietTopics(ctx, p.ID)
	if err != nil || slices.Contains(quiet, string(topic)) {
		return err
	}
	return tx.Tell(ctx, &store.Message{Receiver: store.MailReceiver + p.Email, Topic: string(topic), Title: message.Of(topic).Title, Line: line, Page: ownPage})
}

// Switch is a topic that a person may be told of, and whether they are.
type Switch struct {
	message.Told
	On bool
}

// Switches lists the topics that concern a person with the given roles.
func (d *Desk) Switches(ctx context.Context, p *store.Person, roles []string) ([]Switch, error) {
	quiet, err := d.Store.QuietTopics(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []Switch
	for _, t := range message.For(roles) {
		out = append(out, Switch{t, !slices.Contains(quiet, string(t.Topic))})
	}
	return out, nil
}

// SetSwitches has a person told of the given topics, of those that concern them with their roles, and of no others of these. Topics of
// other roles stay as they are.
func (d *Desk) SetSwitches(ctx context.Context, p *store.Person, roles, on []string) error {
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.PersonForUpdate(ctx, p.Email); err != nil {
			return err
		}
		quiet, err := tx.QuietTopics(ctx, p.ID)
		if err != nil {
			return err
		}
		for _, t := range message.For(roles) {
			name := string(t.Topic)
			quiet = slices.DeleteFunc(quiet, func(q string) bool { return q == name })
			if !slices.Contains(on, name) {
				quiet = append(quiet, name)
			}
		}
		if err := tx.SetQuietTopics(ctx, p.ID, quiet); err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.messages", Actor(p.Email), nil, map[string]any{"quiet": quiet})
	})
}
