package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/sandbox"
)

// world is the networks of one set of books, as everybody but the product has them in hand.
type world interface {
	// Pay makes a customer's payment, once.
	pay(ctx context.Context, c coin, to, memo string, amount decimal.Decimal)
	// Mine adds blocks.
	mine(ctx context.Context, network string, blocks int) error
	// Ways are faults that a network may have beside lost answers, with the mean time between them.
	ways() ([]map[string]string, time.Duration)
	fault(ctx context.Context, network string, way map[string]string) error
	clear(ctx context.Context, network string) error
	// Victims chooses transactions to vanish: ours and those of customers, out of blocks and mempool.
	victims(ctx context.Context, c *chance, network string, depth int) []string
	reorganise(ctx context.Context, network string, depth int, drops []string) error
	// Show brings up to date what the verdict reads.
	show(ctx context.Context) error
}

// byCustomers is true of the rows of customers' payments.
const byCustomers = "(txid like 'paid-%' or sender = '" + customers + "')"

// simulated are the networks of the sandbox. The verdict reads their own tables.
type simulated struct {
	t *torture
	sandbox.Operator
}

func (s *simulated) pay(ctx context.Context, c coin, to, memo string, amount decimal.Decimal) {
	p := sandbox.Payment{Network: c.network, Token: c.token, To: to, Amount: amount, Memo: memo}
	p.Txid = fmt.Sprintf("paid-%d-%d", s.t.seed, s.t.payments.Add(1))
	s.t.insist(ctx, func(ctx context.Context) error {
		_, err := s.Pay(ctx, p)
		if errors.Is(err, sandbox.ErrKnown) {
			return nil
		}
		return err
	})
}

func (s *simulated) mine(ctx context.Context, network string, blocks int) error {
	_, err := s.Mine(ctx, network, blocks)
	return err
}

func (s *simulated) ways() ([]map[string]string, time.Duration) {
	return []map[string]string{
		{"broadcast": "timeout"}, {"broadcast": "timeout-after-send"}, {"broadcast": "down"}, {"broadcast": "reject"},
		{"broadcast": "copied"},
		{"scan": "down"}, {"address": "down"}, {"lose": "60"}, {"lose": "90"},
	}, 2 * time.Second
}

func (s *simulated) fault(ctx context.Context, network string, way map[string]string) error {
	_, err := s.SetFaults(ctx, network, way)
	return err
}

func (s *simulated) clear(ctx context.Context, network string) error {
	_, err := s.ClearFaults(ctx, network)
	return err
}

func (s *simulated) victims(ctx context.Context, c *chance, network string, depth int) (drops []string) {
	var there []string
	err := s.t.db.NewRaw(`select t.txid from sandbox_transactions t join sandbox_networks n using (network)
		where network = ? and (t.height > n.height - ? or t.state = 'pending') -- a final deposit that has paid a payout stays, as final ones do
		and not exists (select from sandbox_spent s where t.nonce is null and s.network = t.network and s.coin = t.txid || ':' || t.place)
		order by t.seq`, network, depth).Scan(ctx, &there)
	if err != nil {
		return nil
	}
	return c.some(there)
}

func (s *simulated) reorganise(ctx context.Context, network string, depth int, drops []string) error {
	_, err := s.Reorg(ctx, network, depth, drops...)
	return err
}

func (s *simulated) show(context.Context) error { return nil }

// called names the books in lines of progress, where there are two.
func (t *torture) called() string {
	switch {
	case t.sandbox:
		return "sandbox: "
	case t.node != nil:
		return "Bitcoin: "
	}
	return ""
}
