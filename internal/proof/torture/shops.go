package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// shop is a merchant with its own server.
type shop struct {
	t       *torture
	number  int
	id      uuid.UUID
	key     string
	secret  string // of its webhooks
	paying  decimal.Decimal
	getting decimal.Decimal // rates in percent
	poor    bool            // has little, so payouts are refused
	client  *http.Client

	mu      sync.Mutex
	wallets []wallet
}

// wallet is a fixed wallet of a customer.
type wallet struct {
	address string
	coin    coin
}

// open makes the merchants by the operator's commands and waits until the front answers them.
func (t *torture) open(ctx context.Context) error {
	rates := []string{"0", "1", "1.25", "0.333"}
	for i := range t.merchants {
		s := &shop{t: t, number: i, poor: i == t.merchants-1 && i > 0, client: &http.Client{Timeout: 20 * time.Second},
			paying: decimal.RequireFromString(rates[i%len(rates)]), getting: decimal.RequireFromString(rates[(i+2)%len(rates)])}
		var made struct {
			ID     uuid.UUID `json:"id"`
			Secret string    `json:"webhook_secret"`
		}
		var key struct {
			Key string `json:"api_key"`
		}
		if err := t.command(ctx, &made, "admin", "merchant", "create", "--name", fmt.Sprintf("Shop %d", i)); err != nil {
			return err
		}
		s.id, s.secret = made.ID, made.Secret
		id := s.id.String()
		err := errors.Join(
			t.command(ctx, &key, "admin", "key", "create", "--merchant", id),
			t.command(ctx, nil, "admin", "rates", "set", "--merchant", id, "payment_rate="+s.paying.String(), "receipt_rate="+s.getting.String()),
			t.command(ctx, nil, "admin", "fixed-wallets", "set", "--merchant", id, "--mode", "global", "--limit", "100000"))
		if err != nil {
			return err
		}
		s.key = key.Key
		t.shops = append(t.shops, s)
	}
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if a := t.shops[0].sure(ready, http.MethodGet, "/v1/balances", nil, ""); a.status != http.StatusOK {
		return fmt.Errorf("the front does not answer: %d %s", a.status, a.body)
	}
	return nil
}

// url is where webhooks of the shop go.
func (s *shop) url() string { return fmt.Sprintf("%s/hook/%d", s.t.receiver.url, s.number) }

// plenty is how many units a shop has of every coin before the storm.
const plenty = 20_000

// lasting is how many times plenty a soak of hours takes.
const lasting = 100

// fund gives every shop money by payins, the only way there is, fixed wallets, and blocks to reorganise.
func (t *torture) fund(ctx context.Context) error {
	c := t.chance("funds")
	if err := t.rule(ctx); err != nil {
		return err
	}
	if err := t.bury(ctx); err != nil {
		return err
	}
	for _, s := range t.shops {
		for _, coin := range t.coins {
			units := decimal.NewFromInt(plenty)
			switch {
			case s.poor:
				units = decimal.NewFromInt(60)
			case t.soak:
				units = units.Mul(decimal.NewFromInt(lasting))
			}
			b := s.newBill(coin, coin.unit.Mul(units), time.Hour, c)
			if err := b.create(ctx); err != nil {
				return err
			}
			t.world.pay(ctx, b.coin, b.wallet, b.memo, b.amount)
		}
		if err := s.openWallets(ctx); err != nil {
			return err
		}
	}
	if err := t.bury(ctx); err != nil { // payments are final at once
		return err
	}
	funded, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		var open int
		err := t.db.NewRaw(`select (select count(*) from payins where status <> 'completed') +
			(select count(*) from transfers where status <> 'final' and payin_id is not null)`).Scan(funded, &open)
		if err == nil && open == 0 {
			say("%d merchants are funded", len(t.shops))
			return nil
		}
		if !wait(funded, 100*time.Millisecond) {
			return fmt.Errorf("the merchants' first money did not arrive: %d open, %w", open, errors.Join(err, funded.Err()))
		}
	}
}

// bury puts more blocks on every network than a reorganisation replaces.
func (t *torture) bury(ctx context.Context) error {
	for _, network := range t.networks() {
		if err := t.world.mine(ctx, network, 2*deepest); err != nil {
			return err
		}
	}
	return nil
}

// openWallets assigns a fixed wallet for every coin without a memo.
func (s *shop) openWallets(ctx context.Context) error {
	if a := s.sure(ctx, http.MethodPut, "/v1/fixed-wallets/config", map[string]any{"webhook_url": s.url()}, ""); a.status != http.StatusOK {
		return fmt.Errorf("webhook of fixed wallets: %d %s", a.status, a.body)
	}
	for i, coin := range s.t.coins {
		if !coin.memo() {
			if err := s.openWallet(ctx, coin, fmt.Sprintf("customer-%d", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// openWallet assigns one fixed wallet; asking again for the same customer answers the same one.
func (s *shop) openWallet(ctx context.Context, coin coin, customer string) error {
	a := s.sure(ctx, http.MethodPost, "/v1/fixed-wallets", map[string]any{"type": coin.family(), "customer_info": customer}, "")
	address := a.text("wallet.wallet")
	if a.status != http.StatusOK && a.status != http.StatusCreated || address == "" {
		return fmt.Errorf("fixed wallet: %d %s", a.status, a.body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wallets = append(s.wallets, wallet{address, coin})
	return nil
}
