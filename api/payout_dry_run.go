package api

import "causeway/api/input"

// PayoutRehearsal is the answer to a dry run of POST /v1/payout: the request's own answer, marked (api-v1 §Payout dry run).
type PayoutRehearsal struct {
	Message string            `json:"message"`
	DryRun  bool              `json:"dry_run"`
	Summary PayoutSummary     `json:"summary"`
	Results []RehearsedResult `json:"results"`
}

// RehearsedResult is a RehearsedPayout or a RefusedPayout.
type RehearsedResult interface{ created() bool }

// RehearsedPayout is the result of an item that would be created. No payout exists for internal_reference to name.
type RehearsedPayout struct {
	CreatedPayout
	InternalReference *string `json:"internal_reference"` // null
}

// dryRun reports whether a request for payouts is a dry run. readQuery has refused the misspelt and the doubled.
func dryRun(c *Call) (bool, error) {
	value, given := c.query.First[input.DryRun]
	switch {
	case !given || value == "0" || value == "false":
		return false, nil
	case value == "1" || value == "true":
		return true, nil
	}
	return false, errDryRun
}

var errDryRun = input.WrongField(input.DryRun, "must be 1, true, 0 or false")

// rehearse answers a dry run: every check of a real request, in the same order and by the same code, the database's
// included. Nothing is recorded, and an Idempotency-Key neither claimed nor answered from.
func (p *Payouts) rehearse(c *Call) error {
	batch, err := p.read(c)
	if err != nil {
		return err
	}
	if err := p.enough(c.Context(), batch); err != nil {
		return err
	}
	outcomes, err := p.Store.RehearsePayouts(c.Context(), batch.records(p.Seals))
	if err != nil {
		return err
	}
	answer, err := batch.answer(outcomes)
	if err != nil {
		return err
	}
	return c.JSON(answer.status(), rehearsalOf(answer))
}

func rehearsalOf(a *PayoutAnswer) *PayoutRehearsal {
	out := &PayoutRehearsal{a.Message, true, a.Summary, make([]RehearsedResult, len(a.Results))}
	for i, r := range a.Results {
		out.Results[i] = r
		if p, ok := r.(*CreatedPayout); ok {
			out.Results[i] = &RehearsedPayout{CreatedPayout: *p}
		}
	}
	return out
}
