package devcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
)

// demoFund is a payin to give the demo merchant money.
type demoFund struct{ reference, network, token, amount string }

var demoFunds = []demoFund{
	{"demo-funds-1", "Tron", "USDT", "10000"}, {"demo-funds-2", "Ethereum", "USDC", "10000"}, {"demo-funds-3", "Ethereum", "ETH", "5"},
	{"demo-funds-4", "Bitcoin", "BTC", "0.5"},
}

// fund pays payins of the demo merchant, and waits until their money is available. Payins paid by an earlier start are
// not paid again.
func (d *Dev) fund(ctx context.Context, file *settings.DevFile, told func(what string, done, total int)) error {
	merchant := uuid.MustParse(file.MerchantID)
	api, err := d.client(file)
	if err != nil {
		return err
	}
	var references []string
	for i, f := range demoFunds {
		told("paying the demo merchant", i, len(demoFunds))
		n, _ := d.Networks.Network(f.network)
		if !n.Simulated() {
			continue
		}
		references = append(references, f.reference)
		p, err := d.fundPayin(ctx, api, merchant, f, file.InboxURL+"/funds")
		if err != nil {
			return fmt.Errorf("fund the demo merchant: %w", err)
		}
		if p.Status != pay.PayinPending {
			continue
		}
		if err := d.payFund(ctx, f, p.Wallet, n.Rule.Final); err != nil {
			return err
		}
	}
	told("waiting until the demo merchant's money is final", 0, 0)
	return d.awaitFunds(ctx, merchant, references)
}

// fundPayin returns the payin of a fund, made through the merchant's own API if there is none yet.
func (d *Dev) fundPayin(ctx context.Context, api *client.Client, merchant uuid.UUID, f demoFund, hook string) (*pay.Payin, error) {
	p, err := d.Store.MerchantPayin(ctx, merchant, uuid.Nil, f.reference)
	if !errors.Is(err, pay.ErrNotFound) {
		return p, err
	}
	if _, err := api.CreatePayin(ctx, client.Payin{ReferenceID: f.reference, Network: f.network, CryptoCurrency: f.token,
		ProcessBy: client.ByCrypto, CryptoAmount: f.amount, WebhookURL: hook}); err != nil {
		return nil, err
	}
	return d.Store.MerchantPayin(ctx, merchant, uuid.Nil, f.reference)
}

// payFund pays a fund to the address of its payin, and makes blocks until the payment is final.
func (d *Dev) payFund(ctx context.Context, f demoFund, to string, final int) error {
	chain := sandbox.Operator{DB: d.DB}
	_, err := chain.Pay(ctx, sandbox.Payment{Network: f.network, Token: f.token, To: to, Amount: decimal.RequireFromString(f.amount),
		Txid: f.reference})
	if err != nil && !errors.Is(err, sandbox.ErrKnown) {
		return err
	}
	_, err = chain.Mine(ctx, f.network, final)
	return err
}

// awaitFunds waits until payins of the merchant are completed and their money is final.
func (d *Dev) awaitFunds(ctx context.Context, merchant uuid.UUID, references []string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		open, err := d.Store.OpenPayins(ctx, merchant, references)
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("the demo merchant's money did not become available")
		case <-tick.C:
		}
	}
}
