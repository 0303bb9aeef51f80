package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/shopspring/decimal"
)

// bill is one payin asked for by a merchant, with its answers.
type bill struct {
	shop      *shop
	coin      coin
	reference string
	amount    decimal.Decimal
	lifetime  time.Duration
	memo      string

	tries  []answer
	id     string
	wallet string
}

// newBill chooses nothing but a memo: those of one shared address must differ.
func (s *shop) newBill(coin coin, amount decimal.Decimal, lifetime time.Duration, c *chance) *bill {
	b := &bill{shop: s, coin: coin, amount: amount, lifetime: lifetime}
	s.t.book.mu.Lock()
	number := len(s.t.book.bills)
	s.t.book.bills = append(s.t.book.bills, b)
	s.t.book.mu.Unlock()
	b.reference = fmt.Sprintf("bill-%d-%04d", s.t.seed, number)
	if coin.memo() {
		b.memo = fmt.Sprintf("%d%08d", 1+c.below(9), number)
	}
	return b
}

// create asks for the payin until it is known where to pay.
func (b *bill) create(ctx context.Context) error {
	s := b.shop
	body := map[string]any{"reference_id": b.reference, "network": b.coin.network, "crypto_currency": b.coin.token, "process_by": "crypto_amount",
		"crypto_amount": b.amount.String(), "webhook_url": s.url(), "expires_at": int(b.lifetime / time.Second)}
	if b.memo != "" {
		body["memo"] = b.memo
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		a := s.ask(ctx, http.MethodPost, "/v1/payin", body, "")
		if a.text("error.code") == "duplicate_reference_id" { // an earlier try has created it
			found := s.sure(ctx, http.MethodGet, "/v1/check-payin/"+b.reference, nil, "")
			b.keep(a, found.text("deposit.internal_reference"), found.text("deposit.wallet"))
			if b.wallet == "" {
				return fmt.Errorf("payin %s exists, but: %d %s", b.reference, found.status, found.body)
			}
		} else {
			b.keep(a, a.text("data.internal_reference"), a.text("data.wallet"))
		}
		if b.wallet != "" {
			return nil
		}
		if a.settled() || !wait(ctx, 100*time.Millisecond) {
			return fmt.Errorf("payin %s: %d %s", b.reference, a.status, a.body)
		}
	}
}

func (b *bill) keep(a answer, id, wallet string) {
	b.shop.t.book.mu.Lock()
	defer b.shop.t.book.mu.Unlock()
	b.tries = append(b.tries, a)
	b.id, b.wallet = id, wallet
}

// askPayins asks for payins at a rate and lets their customers pay as people do.
func (t *torture) askPayins(ctx context.Context) {
	c := t.chance("payins")
	for wait(ctx, c.around(time.Duration(float64(time.Second)/t.payins))) {
		s, coin := pick(c, t.shops), pick(c, t.coins)
		b := s.newBill(coin, c.amount(coin.unit, coin.precision), c.between(8*time.Second, 25*time.Second), c)
		plan := customer(c, b)
		t.asking.Go(func() {
			if err := b.create(context.WithoutCancel(ctx)); err != nil {
				say("%v", err)
				return
			}
			for _, p := range plan {
				if !wait(ctx, p.after) {
					return
				}
				t.world.pay(context.WithoutCancel(ctx), b.coin, b.wallet, b.memo, p.amount)
			}
		})
	}
}

// payment is one transfer of a customer.
type payment struct {
	after  time.Duration
	amount decimal.Decimal
}

// customer chooses how a payin is paid: as asked, in parts, too much, too little, too late, or not at all. On networks
// with more decimals than the ledger keeps, some pay a little more than can be booked.
func customer(c *chance, b *bill) []payment {
	soon := func() time.Duration { return c.between(0, 3*time.Second) }
	half := b.amount.Div(decimal.NewFromInt(2)).Truncate(b.coin.precision)
	pay := b.amount
	if b.coin.decimals > b.coin.precision && c.in(50) {
		pay = pay.Add(decimal.New(1+int64(c.below(999)), -b.coin.decimals))
	}
	switch n := c.below(100); {
	case n < 40:
		return []payment{{soon(), pay}}
	case n < 65:
		return []payment{{soon(), half}, {soon(), pay.Sub(half)}}
	case n < 75:
		return []payment{{soon(), pay.Add(half)}}
	case n < 85:
		return []payment{{soon(), half}}
	case n < 95:
		return []payment{{b.lifetime + soon(), pay}}
	default:
		return nil
	}
}

// insist does something to the database until it succeeds, whatever happens to the database meanwhile.
func (t *torture) insist(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		if !wait(ctx, 100*time.Millisecond) {
			say("gave up: %v", err)
			return
		}
	}
}

// payWallets pays to fixed wallets at a rate, and has new ones assigned now and then.
func (t *torture) payWallets(ctx context.Context) {
	c := t.chance("wallets")
	for n := 0; wait(ctx, c.around(time.Duration(float64(time.Second)/t.transfers))); n++ {
		s := pick(c, t.shops)
		if coin := pick(c, t.coins); c.in(5) && !coin.memo() {
			customer := fmt.Sprintf("late-customer-%d", n)
			t.asking.Go(func() {
				if err := s.openWallet(context.WithoutCancel(ctx), coin, customer); err != nil {
					say("%v", err)
				}
			})
		}
		s.mu.Lock()
		to := pick(c, s.wallets)
		s.mu.Unlock()
		amount := c.amount(to.coin.unit, to.coin.decimals)
		t.asking.Go(func() { t.world.pay(context.WithoutCancel(ctx), to.coin, to.address, "", amount) })
		t.book.mu.Lock()
		t.book.paid++
		t.book.mu.Unlock()
	}
}
