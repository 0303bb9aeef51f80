package integratorcmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	demoPatience = time.Minute // for each webhook
	demoInbox    = "demo"      // name in the inbox
	demoAmount   = "5"         // paid out, in playToken
)

// Recipient is an address on Network to try out payouts with.
const Recipient = "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"

// Demo is a first payin and a first payout of the demo merchant, through its API as an integrator would, on a simulated
// network, told as they happen (operator §dev).
type Demo struct {
	API   *client.Client
	Chain sandbox.Operator
	Rows  *store.Store // of the inbox
	Inbox string       // its address
	Out   io.Writer

	began time.Time
}

// Play plays it, and fails when a webhook does not arrive in the inbox within a minute, or with a bad signature.
func (d *Demo) Play(ctx context.Context) error {
	d.began = time.Now()
	if err := d.payin(ctx); err != nil {
		return fmt.Errorf("demo payin: %w", err)
	}
	if err := d.payout(ctx); err != nil {
		return fmt.Errorf("demo payout: %w", err)
	}
	return nil
}

func (d *Demo) payin(ctx context.Context) error {
	p := &play{ctx: ctx, api: d.API, store: d.Rows, chain: d.Chain, name: "demo", to: d.Inbox + "/" + demoInbox}
	if err := p.create(0); err != nil {
		return err
	}
	d.say("payin", "%s %s on %s is asked for, to be paid to %s", p.payin.CryptoAmount, playToken, Network, p.payin.Wallet)
	if err := p.pays(playAmount); err != nil {
		return err
	}
	d.say("network", "the customer's %s %s are in a block", playAmount, playToken)
	if err := d.told(ctx, pay.PaymentConfirmed, p.payin.ReferenceID); err != nil {
		return err
	}
	now, err := d.API.CheckPayin(ctx, p.payin.ReferenceID)
	if err == nil {
		d.say("payin", "is %s, and the money credited", now.Status)
	}
	return err
}

func (d *Demo) payout(ctx context.Context) error {
	reference := "demo-" + uuid.Must(uuid.NewV7()).String()
	created, err := d.API.CreatePayout(ctx, reference, client.Payout{ReferenceID: reference, Wallet: Recipient, CryptoCurrency: playToken,
		Network: Network, ProcessBy: client.ByCrypto, CryptoAmount: demoAmount, WebhookURL: d.Inbox + "/" + demoInbox})
	if err != nil {
		return err
	}
	d.say("payout", "%s %s on %s to %s is %s", created.CryptoAmount, playToken, Network, created.Wallet, created.Status)
	if err := d.told(ctx, pay.PaymentProcessed, reference); err != nil {
		return err
	}
	now, err := d.API.CheckPayout(ctx, created.InternalReference)
	if err == nil {
		d.say("payout", "is %s", now.Status)
	}
	return err
}

// told waits until the webhook of an event is in the inbox.
func (d *Demo) told(ctx context.Context, event pay.Event, reference string) error {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		received, err := d.Rows.Inbox(ctx, demoInbox, 0, store.InboxSize)
		if err != nil {
			return err
		}
		for _, r := range received {
			if n := noticeOf(r.Body); n.Event != event || n.Data.ReferenceID != reference {
				continue
			}
			if !r.Verified {
				return fmt.Errorf("the webhook %s has a bad signature", event)
			}
			d.say("webhook", "%s has arrived, and its signature is good", event)
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for the webhook %s: %w", event, ctx.Err())
		}
	}
}

// say prints one line of progress, with the seconds since the beginning.
func (d *Demo) say(what, format string, args ...any) {
	fmt.Fprintf(d.Out, "  %4.1f s  %-8s %s\n", time.Since(d.began).Seconds(), what, fmt.Sprintf(format, args...))
}
