package payouts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
)

// capPause is how long a payout over a cap is left alone.
const capPause = 2 * time.Minute

// overCap says that a payout is over a cap of the signer, and names the cap.
type overCap struct{ why string }

// Error implements error.
func (o overCap) Error() string { return o.why }

// capsSeen has the sums signed by this process under caps, so nobody makes room by changing the database while it runs.
type capsSeen struct {
	mu     sync.Mutex
	signed map[[2]string][]signedSum // by network and token
}

type signedSum struct {
	at     time.Time
	amount decimal.Decimal
}

// since returns the sum signed within a span before now, and forgets signatures older than a day.
func (c *capsSeen) since(key [2]string, now time.Time, span time.Duration) (sum decimal.Decimal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.signed[key]) > 0 && now.Sub(c.signed[key][0].at) > 24*time.Hour {
		c.signed[key] = c.signed[key][1:]
	}
	for _, s := range c.signed[key] {
		if now.Sub(s.at) <= span {
			sum = sum.Add(s.amount)
		}
	}
	return sum
}

func (c *capsSeen) add(key [2]string, amount decimal.Decimal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.signed == nil {
		c.signed = map[[2]string][]signedSum{}
	}
	c.signed[key] = append(c.signed[key], signedSum{time.Now(), amount})
}

// eachUnderCap fails with overCap for a payout larger than any may be.
func eachUnderCap(n *chains.Network, p *pay.Payout) error {
	if most := n.Caps[p.Token].Payout; most != nil && p.Amount.GreaterThan(*most) {
		return overCap{fmt.Sprintf("over the signer's cap of %s %s for one payout on %s", most, p.Token, n.Name)}
	}
	return nil
}

// underCaps fails with overCap where a group would take more than the signer's caps of an hour and a day leave, and counts the group.
// This transaction has the turn of the nonces, so one group at a time is counted on a network.
func (w *Worker) underCaps(ctx context.Context, tx *store.Store, n *chains.Network, group []toSign) error {
	for token, sum := range cappedSums(n, group) {
		most := n.Caps[token]
		spent, err := tx.CountCapped(ctx, n.Name, token, sum)
		if err != nil {
			return err
		}
		key, now := [2]string{n.Name, token}, time.Now()
		hour, day := decimal.Max(spent.Hour, w.caps.since(key, now, time.Hour)), decimal.Max(spent.Day, w.caps.since(key, now, 24*time.Hour))
		switch {
		case most.Hour != nil && hour.Add(sum).GreaterThan(*most.Hour):
			return overCap{fmt.Sprintf("over the signer's cap of %s %s for an hour on %s", most.Hour, token, n.Name)}
		case most.Day != nil && day.Add(sum).GreaterThan(*most.Day):
			return overCap{fmt.Sprintf("over the signer's cap of %s %s for a day on %s", most.Day, token, n.Name)}
		}
	}
	return nil
}

// cappedSums are the amounts of a group by token, for tokens with a cap for an hour or a day.
func cappedSums(n *chains.Network, group []toSign) map[string]decimal.Decimal {
	sums := map[string]decimal.Decimal{}
	for _, s := range group {
		if most := n.Caps[s.payout.Token]; most.Hour != nil || most.Day != nil {
			sums[s.payout.Token] = sums[s.payout.Token].Add(s.payout.Amount)
		}
	}
	return sums
}

// signedUnderCaps remembers a signed group.
func (w *Worker) signedUnderCaps(n *chains.Network, group []toSign) {
	for token, sum := range cappedSums(n, group) {
		w.caps.add([2]string{n.Name, token}, sum)
	}
}

// orCapped lets a payout over a cap of the signer wait, and shows it; any other error it returns as it is.
func (w *Worker) orCapped(ctx context.Context, b *broadcast, err error) error {
	var over overCap
	if !errors.As(err, &over) {
		return err
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := tx.NoteCapped(ctx, b.payout.ID, over.why); err != nil {
			return err
		}
		return desk.Fenced(tx.RetryJob(ctx, b.job, capPause, over.why))
	})
}
