package api

import (
	"encoding/json"
	"net/url"
	"strings"
)

// PayoutRehearsal is the answer to a dry run of POST /v1/payout: what the request would have been answered with, marked
// (api-v1 §Payout dry run).
type PayoutRehearsal struct {
	Message string            `json:"message"`
	DryRun  bool              `json:"dry_run"`
	Summary PayoutSummary     `json:"summary"`
	Results []RehearsedResult `json:"results"`
}

// RehearsedResult is one of its two forms.
type RehearsedResult struct {
	Created *RehearsedPayout
	Refused *RefusedPayout
}

// MarshalJSON writes the form that is there.
func (r RehearsedResult) MarshalJSON() ([]byte, error) {
	if r.Created != nil {
		return json.Marshal(r.Created)
	}
	return json.Marshal(r.Refused)
}

// JSONSchemaOneOf names the forms for the OpenAPI document.
func (RehearsedResult) JSONSchemaOneOf() []any { return []any{RehearsedPayout{}, RefusedPayout{}} }

// RehearsedPayout is the result of an item that would be created. There is no payout that internal_reference could name.
type RehearsedPayout struct {
	CreatedPayout
	InternalReference *string `json:"internal_reference"` // null
}

const dryRunName = "dry_run"

// dryRun tells whether a request for payouts is a dry run. Whatever else begins with dry is refused, however it is written,
// so that no slip of the pen moves money.
func dryRun(c *Call) (bool, error) {
	raw := c.Request.URL.RawQuery
	if raw == "" {
		return false, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil && strings.Contains(lettersOf(raw), lettersOf(dryRunName)) {
		return false, errDryRun
	}
	for name, given := range values {
		if !strings.HasPrefix(lettersOf(name), "dry") {
			continue
		}
		if name != dryRunName || len(given) > 1 {
			return false, errDryRun
		}
	}
	switch given := values[dryRunName]; {
	case given == nil:
		return false, nil
	case given[0] == "1" || given[0] == "true":
		return true, nil
	case given[0] == "0" || given[0] == "false":
		return false, nil
	}
	return false, errDryRun
}

var errDryRun = wrongFields(dryRunName, "must be written dry_run, once, and be 1, true, 0 or false")

// lettersOf is a name as whoever mistakes it might write it.
func lettersOf(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// rehearse answers a dry run: every check of a real request, in the same order and by the same code, up to what the
// database would decide. Nothing is recorded, and an Idempotency-Key neither claimed nor answered from.
func (p *Payouts) rehearse(c *Call) error {
	batch, err := p.read(c)
	if err != nil {
		return err
	}
	if err := p.enough(c.Context(), batch); err != nil {
		return err
	}
	outcomes, err := p.Store.RehearsePayouts(c.Context(), batch.records())
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
		out.Results[i].Refused = r.Refused
		if r.Created != nil {
			out.Results[i].Created = &RehearsedPayout{CreatedPayout: *r.Created}
		}
	}
	return out
}
