package integratorcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/internal/cli/screen"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Network is the network of played events and of the demo; it must be simulated.
const Network = "Tron"

// The token of played payments.
const playToken = "USDT"

var playAmount = decimal.NewFromInt(20)

// play is one payin and everything done with it.
type play struct {
	ctx   context.Context
	api   *client.Client
	store *store.Store
	chain sandbox.Operator
	name  string
	to    string // the receiver of the webhooks
	now   *screen.Progress
	payin *client.CreatedPayin
}

// Lifetimes of expiring payins, in seconds: unpaid, and long enough for a payment to be seen first.
const (
	briefly  = 1
	seenOnce = 10
)

func (p *play) confirmed() (*pay.Delivery, error) {
	if err := errors.Join(p.create(0), p.pays(playAmount)); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentConfirmed)
}

func (p *play) failed() (*pay.Delivery, error) {
	if err := p.create(briefly); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentFailed)
}

func (p *play) underpaid() (*pay.Delivery, error) {
	if err := errors.Join(p.create(seenOnce), p.pays(playAmount.Mul(decimal.New(5, -1)))); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentFailed)
}

// updated pays a part, too little to complete the payin.
func (p *play) updated() (*pay.Delivery, error) {
	if err := errors.Join(p.create(0), p.pays(playAmount.Mul(decimal.New(5, -1)))); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentUpdated)
}

func (p *play) overpaid() (*pay.Delivery, error) {
	if err := errors.Join(p.create(0), p.pays(playAmount.Mul(decimal.NewFromInt(2)))); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentConfirmed)
}

// late pays after the payin has expired; the payment completes it all the same (addendum §8).
func (p *play) late() (*pay.Delivery, error) {
	if _, err := p.failed(); err != nil {
		return nil, err
	}
	if err := p.pays(playAmount); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentConfirmed)
}

// reversed lets a reorganisation drop the payment after it was credited.
func (p *play) reversed() (*pay.Delivery, error) {
	if _, err := p.confirmed(); err != nil {
		return nil, err
	}
	view, err := p.chain.Show(p.ctx, Network, sandbox.Filter{Address: p.payin.Wallet})
	if err != nil {
		return nil, err
	}
	paid := view.Transactions[len(view.Transactions)-1]
	const meanwhile = 5 // blocks possible until the reorganisation comes
	if _, err := p.chain.Reorg(p.ctx, Network, int(paid.Confirmations)+meanwhile, paid.Txid); err != nil {
		return nil, err
	}
	return p.told(pay.PaymentReversed)
}

// create asks the API for the payin; its lifetime is the API's own when expires is 0.
func (p *play) create(expires int) (err error) {
	p.payin, err = p.api.CreatePayin(p.ctx, client.Payin{ReferenceID: "trigger-" + p.name + "-" + uuid.Must(uuid.NewV7()).String(),
		Network: Network, CryptoCurrency: playToken, ProcessBy: client.ByCrypto, CryptoAmount: playAmount.String(), WebhookURL: p.to, ExpiresAt: expires})
	return err
}

// pays pays the payin and mines, so the payment is credited at once. Without a payin it does nothing.
func (p *play) pays(amount decimal.Decimal) error {
	if p.payin == nil {
		return nil
	}
	_, err := p.chain.Pay(p.ctx, sandbox.Payment{Network: Network, Token: playToken, To: p.payin.Wallet, Amount: amount})
	if err != nil {
		return err
	}
	const credited = 2 // confirmations (operator §Sandbox networks)
	_, err = p.chain.Mine(p.ctx, Network, credited)
	return err
}

// told waits until a webhook of the payin is recorded.
func (p *play) told(event pay.Event) (*pay.Delivery, error) {
	subject, err := uuid.Parse(p.payin.InternalReference)
	if err != nil {
		return nil, err
	}
	p.now.At("waiting for "+string(event), 0, 0)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		deliveries, err := p.store.DeliveriesOf(p.ctx, subject)
		if err == nil {
			for i := range deliveries {
				if deliveries[i].Event == event {
					return &deliveries[i], nil
				}
			}
			select {
			case <-tick.C:
				continue
			case <-p.ctx.Done():
				err = p.ctx.Err()
			}
		}
		return nil, fmt.Errorf("wait for %s of payin %s: %w", event, subject, err)
	}
}

// notice is the part read of a webhook's body; empty where the body has none of it.
type notice struct {
	Event pay.Event `json:"event"`
	Data  struct {
		ReferenceID string `json:"reference_id"` // the merchant's
	} `json:"data"`
}

func noticeOf(body []byte) (n notice) {
	_ = json.Unmarshal(body, &n)
	return n
}
