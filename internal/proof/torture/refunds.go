package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"causeway/chains/addresses"
)

// giving is one refund of a payin asked for by a merchant, with its answer.
type giving struct {
	shop      *shop
	reference string
	payin     uuid.UUID
	link      bool // the payer would say where to; nobody does

	outcome string // created, or the code of its refusal; "" when it was never settled
	id      string
}

// ended is a payin that is over, and has money that may be given back.
type ended struct {
	ID, MerchantID uuid.UUID
	Network, Token string
}

// askRefunds refunds payins that are over, at a rate: all, what was too much, or a part of what was asked for. Some merchants ask twice at
// once for the same money, by two references, and for more than there is.
func (t *torture) askRefunds(ctx context.Context) {
	c := t.chance("refunds")
	for wait(ctx, c.around(time.Duration(float64(time.Second)/t.refunds))) {
		var payins []ended
		err := t.db.NewRaw(`select id, merchant_id, network, token from payins where wallet_id is null and status in ('completed', 'failed') and received > 0
			and expires_at < now() - interval '5 seconds' and reference_id like 'bill-%' order by created_at desc limit 40`).Scan(ctx, &payins)
		if err != nil || len(payins) == 0 {
			continue // the database is away, or it is early
		}
		p := pick(c, payins)
		for range 1 + c.below(3) {
			if g, body := t.newGiving(c, p); g != nil {
				t.asking.Go(func() { g.place(context.WithoutCancel(ctx), body) })
			}
		}
	}
}

// newGiving chooses a refund of a payin and its request; nil for a payin of no shop.
func (t *torture) newGiving(c *chance, p ended) (*giving, map[string]any) {
	for _, s := range t.shops {
		if s.id != p.MerchantID {
			continue
		}
		t.book.mu.Lock()
		g := &giving{shop: s, reference: fmt.Sprintf("refund-%d-%04d", t.seed, len(t.book.givings)), payin: p.ID, link: c.in(25)}
		t.book.givings = append(t.book.givings, g)
		t.book.mu.Unlock()
		coin, _ := t.coin(p.Network, p.Token)
		amounts := []any{"all", "all", "overpaid", coin.unit.String()}
		body := map[string]any{"payin": p.ID.String(), "reference_id": g.reference, "amount": pick(c, amounts), "feetakenfromamount": c.below(2),
			"webhook_url": s.url()}
		if !g.link {
			body["wallet"] = addresses.Encode(p.Network, sha256.Sum256([]byte(g.reference)))
			if coin.memo() {
				body["memo"] = "12345678"
			}
		}
		return g, body
	}
	return nil, nil
}

// place asks until the refund is settled, and ends every second link again. A refusal after a try without an answer may be that try's work.
func (g *giving) place(ctx context.Context, body map[string]any) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a := g.shop.sure(ctx, http.MethodPost, "/v1/refund", body, "")
	id, code := a.text("refund.internal_reference"), a.text("error.code")
	if id == "" && a.settled() {
		if there := g.shop.sure(ctx, http.MethodGet, "/v1/refund/"+g.reference, nil, ""); there.status == http.StatusOK {
			id = there.text("refund.internal_reference")
		}
	}
	g.shop.t.book.mu.Lock()
	switch {
	case id != "":
		g.id, g.outcome = id, "created"
	case a.settled():
		g.outcome = code
	}
	g.shop.t.book.mu.Unlock()
	if g.link && id != "" && id[len(id)-1]%2 == 0 {
		g.shop.sure(ctx, http.MethodPost, "/v1/refund/"+g.reference+"/revoke", nil, "")
	}
}
