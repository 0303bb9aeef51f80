package solana_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
)

// BenchmarkStep is one step of a follower that awaits payments at 10,000 addresses, 100 of which get one: 300 requests for accounts, two for
// each account that has changed. The time is that of the shim for the most part.
func BenchmarkStep(b *testing.B) {
	l := launch(b)
	addresses := make([]string, 10_000)
	for i := range addresses {
		address, err := l.Derive(b.Context(), uint32(i))
		check(b, err)
		addresses[i] = address
	}
	l.AskFor(func(context.Context) ([]string, error) { return addresses, nil })
	head, err := l.Head(b.Context(), -1)
	check(b, err)
	from, paid := head.Height, 0
	_, err = l.Blocks(b.Context(), from, 1)
	check(b, err)
	before := l.Network().Nodes()[0].Requests
	for b.Loop() {
		b.StopTimer()
		for range 100 {
			l.pay(b, "USDC", addresses[paid%len(addresses)], decimal.NewFromInt(1))
			paid++
		}
		l.mine(b, 1)
		from++
		b.StartTimer()
		blocks, err := l.Blocks(b.Context(), from, 1)
		check(b, err)
		if len(blocks) != 1 || len(blocks[0].Transfers) != 100 {
			b.Fatalf("%d transfers", len(blocks[0].Transfers))
		}
	}
	b.ReportMetric(float64(l.Network().Nodes()[0].Requests-before)/float64(b.N), "requests/op")
}
