package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

// order is one payout asked for by a merchant, with its answers.
type order struct {
	shop      *shop
	coin      coin
	reference string
	address   string // never used for another one
	amount    decimal.Decimal
	fromIt    bool // fees are taken from the amount
	crowd     bool // asked for by several clients at once

	tries   []answer // answers to requests with it
	outcome string   // created, or the code of its refusal; "" when it was never settled
	id      string   // internal_reference
}

// book keeps the clients' requests and their answers.
type book struct {
	mu      sync.Mutex
	orders  []*order
	bills   []*bill
	givings []*giving
	paid    int // payments made to fixed wallets
}

// newOrder chooses a payout. Every tenth amount takes its fees from itself.
func (s *shop) newOrder(c *chance) *order {
	coin := pick(c, s.t.coins)
	o := &order{shop: s, coin: coin, amount: c.amount(coin.unit, coin.precision), fromIt: c.in(10)}
	if o.fromIt {
		o.amount = o.amount.Add(coin.fee.Mul(decimal.NewFromInt(2)))
	}
	s.t.book.mu.Lock()
	number := len(s.t.book.orders)
	s.t.book.orders = append(s.t.book.orders, o)
	s.t.book.mu.Unlock()
	o.reference = fmt.Sprintf("torture-%d-%d", s.t.seed, number)
	o.address = addresses.Encode(coin.network, sha256.Sum256([]byte(o.reference)))
	return o
}

// request is the order as the contract wants it.
func (o *order) request() map[string]any {
	body := map[string]any{"reference_id": o.reference, "network": o.coin.network, "crypto_currency": o.coin.token, "process_by": "crypto_amount",
		"crypto_amount": o.amount.String(), "feetakenfromamount": 0, "wallet": o.address, "webhook_url": o.shop.url()}
	if o.fromIt {
		body["feetakenfromamount"] = "1"
	}
	if o.coin.memo() {
		body["memo"] = "12345678"
	}
	return body
}

// expected returns the recipient's amount and the merchant's debit, by the formula of addendum §6.
func (o *order) expected() (recipient, debit decimal.Decimal) {
	rate := o.amount.Mul(o.shop.paying).Shift(-2).Truncate(o.coin.precision)
	if o.fromIt {
		return o.amount.Sub(rate).Sub(o.coin.fee), o.amount
	}
	return o.amount, o.amount.Add(rate).Add(o.coin.fee)
}

// askPayouts asks for payouts at a rate, alone or in batches, until ctx ends; each request is repeated until it is
// answered.
func (t *torture) askPayouts(ctx context.Context) {
	c := t.chance("payouts")
	for {
		batch := 1
		if c.in(25) {
			batch = 2 + c.below(7)
		}
		if !wait(ctx, c.around(time.Duration(float64(batch)*float64(time.Second)/t.payouts))) {
			return
		}
		s := pick(c, t.shops)
		orders := make([]*order, batch)
		for i := range orders {
			orders[i] = s.newOrder(c)
		}
		key := ""
		if c.in(40) {
			key = orders[0].reference
		}
		crowd := 1
		if key == "" && c.in(8) {
			crowd = 3
		}
		for i := range orders {
			orders[i].crowd = crowd > 1
		}
		for range crowd {
			t.asking.Go(func() { s.place(context.WithoutCancel(ctx), orders, key) })
		}
	}
}

// place asks for orders in one request until each is settled. If the first request of a key died with its process, the
// key stays in progress: after a while the client goes on without it, protected by its references.
func (s *shop) place(ctx context.Context, orders []*order, key string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var body any = orders[0].request()
	if len(orders) > 1 {
		list := make([]any, len(orders))
		for i, o := range orders {
			list[i] = o.request()
		}
		body = list
	}
	for conflicts := 0; ; {
		a := s.ask(ctx, http.MethodPost, "/v1/payout", body, key)
		s.t.book.told(orders, a)
		if a.settled() {
			s.lookUp(ctx, orders)
			return
		}
		if a.status == http.StatusConflict {
			if conflicts++; conflicts == 5 {
				key = ""
			}
		}
		if !wait(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// patience is how long a client goes on asking.
const patience = 3 * time.Minute

// told keeps one answer for orders, by item.
func (b *book) told(orders []*order, a answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, o := range orders {
		o.tries = append(o.tries, a)
		if o.id != "" {
			continue
		}
		item := fmt.Sprintf("results.%d.", i)
		id, code := a.text(item+"internal_reference"), a.text(item+"error.code")
		switch {
		case id != "":
			o.id, o.outcome = id, "created"
		case !a.settled():
		case code != "":
			o.outcome = code
		default:
			o.outcome = a.text("error.code")
		}
	}
}

// lookUp asks for orders refused after a try without an answer: this try may have created it (api-v1 §POST /v1/payout).
func (s *shop) lookUp(ctx context.Context, orders []*order) {
	for _, o := range orders {
		s.t.book.mu.Lock()
		unsure := o.id == "" && slices.ContainsFunc(o.tries, func(a answer) bool { return !a.settled() })
		s.t.book.mu.Unlock()
		if !unsure {
			continue
		}
		a := s.sure(ctx, http.MethodGet, "/v1/list-payout?reference_id="+o.reference, nil, "")
		s.t.book.mu.Lock()
		if id := a.text("payments.0.internal_reference"); id != "" {
			o.id, o.outcome = id, "created"
		}
		s.t.book.mu.Unlock()
	}
}
