package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// PayinAnswer is the answer to GET /v1/check-payin/{reference}.
type PayinAnswer struct {
	Message string      `json:"message"`
	Deposit PayinRecord `json:"deposit"`
}

// PayinList is the answer to GET /v1/list-payin.
type PayinList struct {
	Message  string        `json:"message"`
	Deposits []PayinRecord `json:"deposits"`
	Summary  PayinTotals   `json:"summary"`
	Meta     listMeta      `json:"meta"`
}

// PayinTotals counts the payins of all pages by status.
type PayinTotals struct {
	Pending   int `json:"total_pending"`
	Completed int `json:"total_completed"`
	Failed    int `json:"total_failed"`
	Reversed  int `json:"total_reversed"`
}

// payinStatuses are the status filters of list-payin.
var payinStatuses = map[string][]string{
	"pending":   {string(pay.PayinPending)},
	"completed": {string(pay.PayinCompleted)},
	"failed":    {string(pay.PayinFailed)},
	"reversed":  {string(pay.PayinReversed)},
}

var errNoDeposit = pay.E(pay.NotFound, "record_not_found", "There is no such payin.").With("resource", "deposit")

// check answers GET /v1/check-payin/{reference}: the internal reference, or else the merchant's (addendum §8).
func (p *Payins) check(c *Call) error {
	reference, err := checkedReference(c, errNoDeposit)
	if err != nil {
		return err
	}
	reference = pay.TrimmedReference(reference)
	var records []PayinRecord
	err = p.Store.Snapshot(c.Context(), func(tx *store.Store) error {
		payin, err := findPayin(c.Context(), tx, c.Caller.Merchant.ID, reference)
		if err != nil {
			return err
		}
		records, err = p.records(c, tx, []pay.Payin{*payin})
		return err
	})
	if errors.Is(err, pay.ErrNotFound) {
		return errNoDeposit
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, PayinAnswer{"deposit_retrieved_success", records[0]})
}

// payinOfAPI reads a payin of a merchant, but none of the panel: the API checks nothing that was made there.
func payinOfAPI(ctx context.Context, s *store.Store, merchant, id uuid.UUID, reference string) (*pay.Payin, error) {
	p, err := s.MerchantPayin(ctx, merchant, id, reference)
	if err != nil {
		return nil, err
	}
	if _, panel := pay.OfPanel(p.KeyID); panel {
		return nil, pay.ErrNotFound
	}
	return p, nil
}

// findPayin looks for the form of an id first, then for the merchant's reference. In capitals, absent from all our answers, it
// looks the other way round.
func findPayin(ctx context.Context, s *store.Store, merchant uuid.UUID, reference string) (*pay.Payin, error) {
	byReference := func() (*pay.Payin, error) { return payinOfAPI(ctx, s, merchant, uuid.Nil, reference) }
	id, ok := exactID(reference)
	if !ok || id == uuid.Nil {
		return byReference()
	}
	looks := []func() (*pay.Payin, error){func() (*pay.Payin, error) { return payinOfAPI(ctx, s, merchant, id, "") }, byReference}
	if reference != id.String() {
		slices.Reverse(looks)
	}
	payin, err := looks[0]()
	if errors.Is(err, pay.ErrNotFound) {
		return looks[1]()
	}
	return payin, err
}

// list answers GET /v1/list-payin.
func (p *Payins) list(c *Call) error {
	l, err := readListing(c.Query, payinStatuses)
	if err != nil {
		return err
	}
	l.Reference = pay.TrimmedReference(l.Reference)
	l.apply("reference_id", l.Reference)
	l.Merchant = c.Caller.Merchant.ID
	var records []PayinRecord
	var counts map[string]int
	err = p.Store.Reading(c.Context(), func(s *store.Store) error {
		return s.Snapshot(c.Context(), func(tx *store.Store) (err error) {
			var payins []pay.Payin
			if payins, counts, err = lists.Payins(c.Context(), tx, l.Filter); err != nil {
				return err
			}
			records, err = p.records(c, tx, payins)
			return err
		})
	})
	if err != nil {
		return err
	}
	totals := PayinTotals{counts["pending"], counts["completed"], counts["failed"], counts["reversed"]}
	return c.JSON(http.StatusOK, PayinList{"deposits_retrieved_success", records, totals,
		l.meta(totals.Pending + totals.Completed + totals.Failed + totals.Reversed)})
}

// records reads transfers and heads from the snapshot the payins were read in: of one moment, payments add up.
func (p *Payins) records(c *Call, s *store.Store, payins []pay.Payin) ([]PayinRecord, error) {
	ids := make([]uuid.UUID, len(payins))
	for i := range payins {
		ids[i] = payins[i].ID
	}
	views := &payinViews{credits: p.Credits, wallets: c.Caller.Merchant.WalletsWebhook}
	var err error
	if views.transfers, err = s.TransfersOf(c.Context(), ids...); err != nil {
		return nil, err
	}
	if views.heads, err = s.Heads(c.Context()); err != nil {
		return nil, err
	}
	out := make([]PayinRecord, len(payins))
	for i := range payins {
		if out[i], err = views.view(&payins[i]); err != nil {
			return nil, err
		}
		out[i].CheckoutURL = p.page(&payins[i])
	}
	return out, nil
}
