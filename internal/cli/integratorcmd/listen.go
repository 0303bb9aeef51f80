package integratorcmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
)

// listenEvery is how often the deliveries are looked at.
const listenEvery = 250 * time.Millisecond

// Listen forwards the webhooks of a merchant to a local address.
func Listen(l *command.Line) *cobra.Command {
	p := &commands{l}
	var f forwarder
	var merchant string
	c := &cobra.Command{Use: "listen", Args: cobra.NoArgs, Short: "forward a merchant's new webhooks to a local address, until Ctrl-C",
		RunE: func(c *cobra.Command, _ []string) error { return p.listen(c.Context(), &f, merchant) }}
	command.Web(c.Flags(), &f.to, "forward-to", "address that gets the webhooks, such as http://localhost:3000/webhooks")
	c.Flags().StringVar(&merchant, "merchant", "", "id of the merchant (default: the demo merchant of causeway dev)")
	c.Flags().BoolVar(&f.print, "print", false, "also print the bodies")
	return c
}

// forwarder forwards the deliveries recorded for a merchant from now on.
type forwarder struct {
	p        *commands
	to       string // "" = only print
	print    bool
	merchant uuid.UUID
	rows     *store.Store
	keys     *vault.Vault
	http     *webhooks.Client
	tail     lists.DeliveryTail
}

// listen runs a forwarder until ctx ends.
func (p *commands) listen(ctx context.Context, l *forwarder, merchant string) error {
	target, err := url.Parse(l.to)
	if err != nil {
		return err
	}
	if l.to == "" && !l.print {
		return command.Usagef("listen needs --forward-to, --print, or both")
	}
	if merchant == "" {
		if merchant, err = p.demoMerchant(); err != nil {
			return err
		}
	}
	s, who, err := p.signer(ctx, merchant)
	if err != nil {
		return err
	}
	db, err := connect.Schema(ctx, s, connect.PoolSize)
	if err != nil {
		return err
	}
	l.p, l.merchant, l.rows, l.keys = p, who.merchant, store.New(db), s.Vault()
	l.http = webhooks.NewClient(webhooks.Options{Prefix: string(s.HeaderPrefix), AllowedHosts: append(s.AllowedHosts, target.Hostname())})
	defer l.http.Close()
	err = l.run(ctx)
	if ctx.Err() != nil {
		err = nil // told to stop
	}
	return errors.Join(err, db.Close())
}

// demoMerchant is the merchant of dev.json.
func (p *commands) demoMerchant() (string, error) {
	s, err := p.Settings()
	if err != nil {
		return "", err
	}
	if s.Dev == nil {
		return "", command.Usagef("listen needs --merchant: there is no dev.json in %s", s.DataDir)
	}
	return s.Dev.MerchantID, nil
}

// run skips the deliveries recorded already and passes on new ones.
func (l *forwarder) run(ctx context.Context) error {
	if _, err := lists.NewDeliveries(ctx, l.rows, l.merchant, &l.tail); err != nil {
		return err
	}
	fmt.Fprintln(l.p.Stderr, "listening for the webhooks of merchant", l.merchant)
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		fresh, err := lists.NewDeliveries(ctx, l.rows, l.merchant, &l.tail)
		if err != nil {
			return err
		}
		for i := range fresh {
			if err := l.forward(ctx, &fresh[i]); err != nil {
				return err
			}
		}
	}
}

// forward sends one webhook once, signed under the secrets live by then, and prints a line about it.
func (l *forwarder) forward(ctx context.Context, d *pay.Delivery) error {
	became := ""
	if l.to != "" {
		secrets, err := WebhookSecrets(ctx, l.rows, l.keys, l.merchant)
		if err != nil {
			return err
		}
		sent := l.http.Send(ctx, webhooks.Delivery{ID: d.ID.String(), URL: l.to, Secrets: secrets, Body: d.Body})
		became = fmt.Sprintf("  → %d in %d ms", sent.Status, sent.Duration.Milliseconds())
		if sent.Status == 0 {
			became = "  → not sent: " + sent.Error
		}
	}
	fmt.Fprintf(l.p.Stdout, "%s  %s  %s  %s%s\n", d.CreatedAt.Local().Format(time.TimeOnly), d.Event, noticeOf(d.Body).Data.ReferenceID, d.ID, became)
	if l.print {
		fmt.Fprintln(l.p.Stdout, string(d.Body))
	}
	return nil
}
