package api

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
)

// Payouts serves the payout operations (api-v1 §POST /v1/payout, §GET /v1/list-payout, §GET /v1/check-payout).
type Payouts struct {
	Store      *store.Store
	Catalogues *Catalogues
	Recorder   *Recorder
	Addresses  Addresses
	URLs       *webhooks.URLPolicy
	Seals      *vault.Sealer // seals each recorded payout

	found gather.Group[store.Owned, *pay.Payout] // by check-payout
	held  holdings
}

// Routes is the payouts' part of the route table.
func (p *Payouts) Routes() []Route {
	return []Route{
		{
			Method: http.MethodPost, Path: "/v1/payout", Scope: pay.ScopePayoutWrite, Idempotent: true,
			Summary: "Create a payout, or up to 50 of them",
			Doc:     docCreatePayout, Handler: p.create,
		},
		{
			Method: http.MethodGet, Path: "/v1/list-payout", Scope: pay.ScopePayoutRead,
			Summary: "List payouts, newest first",
			Doc:     docListPayouts, Handler: p.list,
		},
		{
			Method: http.MethodGet, Path: "/v1/check-payout/:reference", Scope: pay.ScopePayoutRead,
			Summary: "Look up one payout by its internal reference",
			Doc:     docCheckPayout, Handler: p.check,
		},
		{
			Method: http.MethodGet, Path: "/v1/validate-address", Scope: pay.ScopePayoutRead,
			Summary: "Check an address before a payout",
			Doc:     docValidateAddress, Handler: p.validateAddress,
		},
	}
}

func (p *Payouts) create(c *Call) error {
	dry, err := dryRun(c)
	switch {
	case err != nil:
		return err
	case dry:
		return p.rehearse(c)
	}
	if known := (keyState{c.Caller.Remembered}); known.holds() {
		return known.replay(c, p.Store)
	}
	batch, err := p.read(c)
	if err != nil {
		return err
	}
	if c.IdempotencyKey != "" {
		return p.createOnce(c, batch)
	}
	if err := p.enough(c.Context(), batch); err != nil {
		return err
	}
	status, answer, err := p.record(c, batch)
	if err != nil {
		return err
	}
	c.tellIgnored()
	return c.JSON(status, answer)
}

// read takes the request in and makes every check that needs neither balance nor reference.
func (p *Payouts) read(c *Call) (*payoutBatch, error) {
	batch, err := newBatch(c, p.URLs)
	if err != nil {
		return nil, err
	}
	catalogue, err := p.Catalogues.For(c)
	if err != nil {
		return nil, err
	}
	batch.check(&payoutChecks{caller: c.Caller, catalogue: catalogue, addresses: p.Addresses})
	return batch, nil
}

// enough makes the summed check before anything is debited. Where one item alone counts, recording it decides.
func (p *Payouts) enough(ctx context.Context, batch *payoutBatch) error {
	if batch.lone() != nil || !batch.counted() {
		return nil
	}
	balances, err := p.held.of(ctx, p.Store, batch.caller.Merchant.ID)
	if err != nil {
		return err
	}
	return batch.short(func(asset string) decimal.Decimal { return balances[asset].Available })
}

// record lets the database decide the items. When recording fails in the middle the answer is the contract's 500 with the known
// results.
func (p *Payouts) record(c *Call, batch *payoutBatch) (status int, answer any, err error) {
	outcomes, err := p.Recorder.Record(batch.records(p.Seals))
	if err != nil {
		return http.StatusInternalServerError, batch.failed(c, outcomes, err), nil
	}
	decided, err := batch.answer(outcomes)
	if err != nil {
		return 0, nil, err
	}
	return decided.status(), decided, nil
}
