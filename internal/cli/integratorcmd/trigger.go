package integratorcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// triggerPatience is how long the webhook of a trigger may take to be recorded, the expiry of its payin included.
const triggerPatience = 2 * time.Minute

// triggers are the events of payins on demand, and how each is played (operator §Trying out an integration).
var triggers = map[string]func(*play) (*pay.Delivery, error){
	"payment_confirmed": (*play).confirmed,
	"payment_failed":    (*play).failed,
	"payment_reversed":  (*play).reversed,
	"payment_updated":   (*play).updated,
	"underpaid":         (*play).underpaid,
	"overpaid":          (*play).overpaid,
	"late":              (*play).late,
}

// Events are the names for Trigger, sorted.
func Events() []string { return slices.Sorted(maps.Keys(triggers)) }

// Trigger makes an event of a payin happen, webhook included.
func Trigger(l *command.Line) *cobra.Command {
	p := &commands{l}
	var to string
	names := strings.Join(Events(), ", ")
	c := &cobra.Command{Use: "trigger EVENT", Args: cobra.ExactArgs(1),
		Short: "make an event of a payin happen, with its webhook, while causeway dev runs",
		RunE: func(c *cobra.Command, args []string) error {
			scene, known := triggers[args[0]]
			if !known {
				return command.Usagef("there is no event %q to trigger: %s are", args[0], names)
			}
			defer p.Doing(c)()
			return p.trigger(c.Context(), args[0], scene, to)
		}}
	command.Web(c.Flags(), &to, "webhook-url", "where the payin's webhooks go (the inbox)")
	return c
}

// Triggered is the result of a trigger.
type Triggered struct {
	Trigger           string    `json:"trigger"`
	Event             pay.Event `json:"event"`
	ReferenceID       string    `json:"reference_id"`
	InternalReference string    `json:"internal_reference"`
	Delivery          uuid.UUID `json:"delivery"`
	WebhookURL        string    `json:"webhook_url"`
}

// trigger plays a scene with a payin of the demo merchant, made through the running API.
func (p *commands) trigger(ctx context.Context, name string, scene func(*play) (*pay.Delivery, error), to string) error {
	s, err := p.Settings("DATABASE_URL")
	if err != nil {
		return err
	}
	if s.Dev == nil || string(s.DatabaseURL) != s.Dev.DatabaseURL {
		return errors.New("trigger acts for the demo merchant of causeway dev, and there is no dev.json of this database in " + s.DataDir)
	}
	if err := s.MustBeSandbox(Network); err != nil {
		return err
	}
	api, err := client.New(client.Config{BaseURL: s.Dev.APIURL, Key: s.Dev.APIKey, HeaderPrefix: string(s.HeaderPrefix)})
	if err != nil {
		return err
	}
	db, err := connect.Schema(ctx, s, connect.PoolSize)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, triggerPatience)
	defer cancel()
	if to == "" {
		to = s.Dev.InboxURL + "/trigger"
	}
	told, err := scene(&play{ctx: ctx, api: api, store: store.New(db), chain: sandbox.Operator{DB: db}, name: name, to: to, now: p.Now})
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("trigger %s: %w", name, err)
	}
	return p.Print(Triggered{name, told.Event, noticeOf(told.Body).Data.ReferenceID, told.Subject.String(), told.ID, told.URL})
}
