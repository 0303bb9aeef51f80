package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/ledger"
)

// seals are those of payouts recorded without an api.
var seals = vault.NewSealer("payout", make([]byte, vault.KeySize))

// measureRecord is store.RecordPayouts alone: no HTTP, no key, no ring.
func (b *bench) measureRecord() (err error) {
	a, err := b.arena("record")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	for _, merchants := range []int{many, hot} {
		for _, group := range []int{1, 8, 32, 256} {
			if err := a.measureGroups(merchants, group, 2); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *arena) measureGroups(merchants, group, lanes int) error {
	before, start := cpuOf(a.postmaster()), time.Now()
	ctx, cancel := context.WithTimeout(a.ctx, a.slot)
	defer cancel()
	counts, failures := make([]int, lanes), make([]error, lanes)
	var all sync.WaitGroup
	for lane := range lanes {
		all.Go(func() {
			for ctx.Err() == nil && failures[lane] == nil {
				failures[lane] = a.recordGroup(a.items(merchants, group))
				counts[lane] += group
			}
		})
	}
	all.Wait()
	done := 0
	for _, n := range counts {
		done += n
	}
	rate := float64(done) / time.Since(start).Seconds()
	used := (cpuOf(a.postmaster()) - before) / time.Duration(done)
	a.table.add(row{what: fmt.Sprintf("RecordPayouts, groups of %d, %s, PostgreSQL's time per item %v", group, accountsNamed(merchants),
		used), measured: rate, unit: "items/s"})
	return errors.Join(failures...)
}

func (a *arena) recordGroup(items []store.PayoutItem) error {
	outcomes, err := a.store.RecordPayouts(a.ctx, items)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Outcome != "created" {
			return fmt.Errorf("item %d: %s", o.Ord, o.Outcome)
		}
	}
	return nil
}

func (a *arena) items(merchants, n int) []store.PayoutItem {
	items := make([]store.PayoutItem, n)
	for i := range items {
		number := int(references.Add(1))
		p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: a.people.merchants[a.people.of(merchants, number)], KeyID: "key",
			ReferenceID: "order-" + strconv.Itoa(number), Wallet: recipient, Token: "USDT", Asset: "USDT", Network: "Tron", ProcessBy: pay.ByCrypto,
			PercentRate: decimal.NewFromInt(1), NetworkFee: decimal.NewFromInt(1), PaysNetworkFee: true, FiatCurrency: "USD", WebhookURL: "http://127.0.0.1:9/hook"}
		if err := ledger.PayoutFees(p, decimal.New(25, -1), 6); err != nil {
			panic(err)
		}
		p.Seal = seals.Make(p.Sealed()...)
		items[i] = store.PayoutItem{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}
	}
	return items
}
