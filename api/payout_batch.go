package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/ledger"
)

// payoutBatch is the items of one request in the order sent.
type payoutBatch struct {
	caller *store.Caller
	drafts []*payoutDraft
}

// newBatch reads and validates the items. When none is valid the answer is a top-level invalid_parameters with fields
// keyed index.field (api-v1 §POST /v1/payout).
func newBatch(c *Call, urls *webhooks.URLPolicy) (*payoutBatch, error) {
	items, err := payoutItems(c.Body)
	if err != nil {
		return nil, err
	}
	b := &payoutBatch{caller: c.Caller}
	for i, raw := range items {
		b.drafts = append(b.drafts, newDraft(i, raw, c.Caller))
	}
	unsafe, err := unsafeURLs(c.Context(), b.drafts, urls)
	if err != nil {
		return nil, c.lookedUp(err)
	}
	all := input.FieldErrors{}
	valid := 0
	for i, d := range b.drafts {
		fields := d.examine(unsafe[i])
		all.Under(strconv.Itoa(i), fields)
		if len(fields) == 0 {
			valid++
		}
	}
	if valid == 0 {
		return nil, all.Err()
	}
	b.refuseRepeated()
	return b, nil
}

func newDraft(index int, raw json.RawMessage, caller *store.Caller) *payoutDraft {
	d := &payoutDraft{index: index}
	d.object, d.readable = input.ObjectIn(raw)
	d.payout.ID = uuid.Must(uuid.NewV7())
	d.payout.MerchantID, d.payout.KeyID = caller.Merchant.ID, caller.Key.ID
	return d
}

// examine validates the item's fields and refuses it when something is missing or wrong (addendum §7).
func (d *payoutDraft) examine(unsafeURL string) input.FieldErrors {
	if !d.readable {
		fields := input.FieldErrors{"item": "must be an object"}
		d.problem = fields.As("invalid_parameters", "The item is not an object.")
		return fields
	}
	missing, wrong := d.validate()
	if unsafeURL != "" {
		wrong.Add("webhook_url", unsafeURL)
	}
	lacks := len(missing) > 0
	for field, message := range wrong {
		missing.Add(field, message)
	}
	switch {
	case lacks:
		d.problem = missing.As("missing_required_fields", "Some required fields are missing.")
	case len(missing) > 0:
		d.problem = missing.As("invalid_parameters", "Some fields are invalid.")
	}
	return missing
}

// unsafeURLs returns for each item why its webhook_url may not be used, "" when it may or when there is none to check.
func unsafeURLs(ctx context.Context, drafts []*payoutDraft, urls *webhooks.URLPolicy) ([]string, error) {
	reasons := make([]string, len(drafts))
	var raws []string
	var from []int
	for i, d := range drafts {
		if text, found := d.object.Text("webhook_url"); found == input.Given {
			raws, from = append(raws, text), append(from, i)
		}
	}
	for n, err := range urls.CheckAll(ctx, raws, webhooks.ForPayout) {
		var refused *webhooks.URLError
		switch {
		case errors.As(err, &refused):
			reasons[from[n]] = string(refused.Reason)
		case err != nil:
			return nil, err
		}
	}
	return reasons, nil
}

// refuseRepeated refuses every later item with the reference of an earlier one, even of a refused one.
func (b *payoutBatch) refuseRepeated() {
	seen := make(map[string]bool, len(b.drafts))
	for _, d := range b.drafts {
		reference := d.payout.ReferenceID
		if reference == "" {
			continue
		}
		if seen[reference] && d.problem == nil {
			d.problem = errRepeated
		}
		seen[reference] = true
	}
}

// check makes the checks that need no balance.
func (b *payoutBatch) check(checks *payoutChecks) {
	for _, d := range b.drafts {
		if d.problem == nil {
			checks.run(d)
		}
	}
}

// records returns the items not refused yet, sealed and in order, for the database to decide. An item without a value in USD
// under a daily limit still goes there, with a limit it cannot keep, because its balance is checked first (addendum §7).
func (b *payoutBatch) records(seals *vault.Sealer) []store.PayoutItem {
	items := make([]store.PayoutItem, 0, len(b.drafts))
	for _, d := range b.drafts {
		if d.problem != nil {
			continue
		}
		items = append(items, d.record(&b.caller.Key, seals))
	}
	return items
}

// record is the draft as it is recorded for a key.
func (d *payoutDraft) record(key *pay.Key, seals *vault.Sealer) store.PayoutItem {
	d.payout.Seal = seals.Make(d.payout.Sealed()...)
	item := store.PayoutItem{Payout: &d.payout, HoldDigest: ledger.PayoutHeld(&d.payout).Digest}
	if limit := key.DailyLimitUSD; limit.Valid {
		item.DailyLimit, item.USD = &limit.Decimal, &d.usd
		if d.unvalued() {
			item.DailyLimit, item.USD = &nothing, &something
		}
	}
	return item
}

var nothing, something = decimal.Zero, decimal.NewFromInt(1)

// unvalued reports whether the payout has no price in USD.
func (d *payoutDraft) unvalued() bool { return d.usd.IsZero() }

// short returns insufficient_total_balance when the amounts of the items accepted up to their address, fees excluded,
// exceed the available balance, per token (api-v1 §POST /v1/payout).
func (b *payoutBatch) short(available func(asset string) decimal.Decimal) error {
	required := map[string]decimal.Decimal{}
	for _, d := range b.drafts {
		if d.counted {
			required[d.payout.Asset] = required[d.payout.Asset].Add(d.amount)
		}
	}
	for _, d := range b.drafts {
		if has, needs := available(d.payout.Asset), required[d.payout.Asset]; d.counted && needs.GreaterThan(has) {
			return shortOf(d, has, needs)
		}
	}
	return nil
}

func shortOf(d *payoutDraft, available, required decimal.Decimal) *pay.Error {
	return errInsufficientTotal.With("crypto_currency", d.payout.Token).
		With("available", available.String()).With("required", required.String())
}

// counted reports whether any item counts for the summed check.
func (b *payoutBatch) counted() bool {
	return slices.ContainsFunc(b.drafts, func(d *payoutDraft) bool { return d.counted })
}

// lone returns the only item counted for the summed check, if it goes to the database: the database decides the check
// too, so the balance need not be read before. nil when there is no such item.
func (b *payoutBatch) lone() *payoutDraft {
	var found *payoutDraft
	for _, d := range b.drafts {
		if !d.counted {
			continue
		}
		if found != nil || d.problem != nil {
			return nil
		}
		found = d
	}
	return found
}
