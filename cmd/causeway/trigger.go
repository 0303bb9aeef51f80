package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/pay"
	"causeway/store"
)

// triggerPatience is how long the webhook of a trigger may take to be recorded, the expiry of its payin included.
const triggerPatience = 2 * time.Minute

// triggers are the events of payins that can be made to happen, and how each is played (operator §dev).
var triggers = map[string]func(*play) (*pay.Delivery, error){
	"payment_confirmed": (*play).confirmed,
	"payment_failed":    (*play).failed,
	"payment_reversed":  (*play).reversed,
	"underpaid":         (*play).underpaid,
	"overpaid":          (*play).overpaid,
	"late":              (*play).late,
}

func (p *program) triggerCommand() *cobra.Command {
	var to string
	names := strings.Join(slices.Sorted(maps.Keys(triggers)), ", ")
	c := &cobra.Command{Use: "trigger EVENT", Args: cobra.ExactArgs(1), Short: "make an event of a payin happen, webhook included, beside causeway dev",
		RunE: func(c *cobra.Command, args []string) error {
			scene, known := triggers[args[0]]
			if !known {
				return usagef("there is no event %q to trigger: %s are", args[0], names)
			}
			defer p.doing(c)()
			return p.trigger(c.Context(), args[0], scene, to)
		}}
	c.Flags().StringVar(&to, "webhook-url", "", "where the payin's webhooks go (the inbox)")
	return c
}

// triggered is what a trigger did.
type triggered struct {
	Trigger           string    `json:"trigger"`
	Event             pay.Event `json:"event"`
	ReferenceID       string    `json:"reference_id"`
	InternalReference string    `json:"internal_reference"`
	Delivery          uuid.UUID `json:"delivery"`
	WebhookURL        string    `json:"webhook_url"`
}

// trigger plays a scene with a payin of the demo merchant, made through the running API.
func (p *program) trigger(ctx context.Context, name string, scene func(*play) (*pay.Delivery, error), to string) error {
	s, err := p.settings("DATABASE_URL")
	if err != nil {
		return err
	}
	if s.Dev == nil || string(s.DatabaseURL) != s.Dev.DatabaseURL {
		return errors.New("trigger acts for the demo merchant of causeway dev, and there is no dev.json of this database in " + s.DataDir)
	}
	if err := s.mustBeSandbox(playNetwork); err != nil {
		return err
	}
	api, err := client.New(client.Config{BaseURL: s.Dev.APIURL, Key: s.Dev.APIKey, HeaderPrefix: string(s.HeaderPrefix)})
	if err != nil {
		return err
	}
	db, err := s.openSchema(ctx, commandPool)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, triggerPatience)
	defer cancel()
	if to == "" {
		to = s.Dev.InboxURL + "/trigger"
	}
	told, err := scene(&play{ctx: ctx, api: api, store: store.New(db), chain: sandbox.Operator{DB: db}, name: name, to: to, now: p.now})
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("trigger %s: %w", name, err)
	}
	return p.print(triggered{name, told.Event, referenceOf(told.Body), told.Subject.String(), told.ID, told.URL})
}

// What is played with.
const (
	playNetwork = "Tron"
	playToken   = "USDT"
)

var playAmount = decimal.NewFromInt(20)
