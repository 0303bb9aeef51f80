package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// ListedMerchant is a merchant in the list of all.
type ListedMerchant struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Verified  bool      `json:"verified"`
	Suspended bool      `json:"suspended"`
	APIAccess bool      `json:"api_access"`
	Rates     Rates     `json:"rates"`
	Keys      int64     `json:"key_count"`   // not revoked
	Limits    int64     `json:"limit_count"` // its payouts above them wait for approval
	CreatedAt time.Time `json:"created_at"`
}

// Merchants lists at most limit merchants by name: those with word in their name or e-mail address, or at the start of their id.
// Below is the last merchant of the page before.
func (a *Admin) Merchants(ctx context.Context, word string, below uuid.UUID, limit int) ([]ListedMerchant, error) {
	if err := a.known(ctx, below); err != nil {
		return nil, err
	}
	rows, err := a.Store.MerchantsAcross(ctx, word, below, limit)
	out := make([]ListedMerchant, len(rows))
	for i := range rows {
		m := &rows[i]
		out[i] = ListedMerchant{ID: m.ID, Name: m.Name, Email: m.Email, Verified: m.Verified, Suspended: m.Suspended, APIAccess: m.APIAccess,
			Rates: Rates(m.Terms), Keys: m.Keys, Limits: m.Limits, CreatedAt: m.CreatedAt}
	}
	return out, err
}

// known refuses the id of a merchant not in the database. The zero id asks for none.
func (a *Admin) known(ctx context.Context, merchant uuid.UUID) error {
	if merchant == uuid.Nil {
		return nil
	}
	_, err := a.Store.Merchant(ctx, merchant)
	return named(err, "merchant %s", merchant)
}

// Keys lists keys, newest first.
func (a *Admin) Keys(ctx context.Context, f store.KeyFilter) ([]Key, error) {
	if err := a.known(ctx, f.Merchant); err != nil {
		return nil, err
	}
	if f.Below != "" {
		if _, err := a.Store.Key(ctx, f.Below); err != nil {
			return nil, named(err, "key %q", f.Below)
		}
	}
	rows, err := a.Store.KeysAcross(ctx, f)
	out := make([]Key, len(rows))
	for i := range rows {
		out[i] = *viewKey(&rows[i])
	}
	return out, err
}

// ListedPayout is a payout in the list of all.
type ListedPayout struct {
	PayoutHead
	Waits bool `json:"waits_for_approval"`
}

// Payouts lists payouts of all merchants, newest first. Status is one of pay.PayoutStatuses, or pending for all not ended. Empty is
// any.
func (a *Admin) Payouts(ctx context.Context, f lists.AcrossFilter, status string) ([]ListedPayout, error) {
	for _, s := range pay.PayoutStatuses {
		if s == status || pay.PayoutStatus(s).Public() == status {
			f.Statuses = append(f.Statuses, s)
		}
	}
	if status != "" && f.Statuses == nil {
		return nil, misread("there is no status %q: pending, %s are", status, strings.Join(pay.PayoutStatuses, ", "))
	}
	if err := a.check(ctx, &f); err != nil {
		return nil, err
	}
	if f.Before != uuid.Nil {
		if _, err := a.Store.Payout(ctx, f.Before); err != nil {
			return nil, named(err, "payout %s", f.Before)
		}
	}
	rows, err := lists.PayoutsAcross(ctx, a.Store, f)
	if err != nil {
		return nil, err
	}
	return a.listed(ctx, rows)
}

// listed adds to each payout whether it waits for approval.
func (a *Admin) listed(ctx context.Context, rows []pay.Payout) ([]ListedPayout, error) {
	out, ids := make([]ListedPayout, len(rows)), make([]uuid.UUID, len(rows))
	for i := range rows {
		out[i].PayoutHead, ids[i] = headOf(&rows[i]), rows[i].ID
	}
	waits, err := a.Store.WaitingAmong(ctx, ids)
	for i := range out {
		out[i].Waits = waits[out[i].ID]
	}
	return out, err
}

// Payins lists payins of all merchants, newest first. Status is one of pay.PayinStatuses; empty is any.
func (a *Admin) Payins(ctx context.Context, f lists.AcrossFilter, status string) ([]PayinHead, error) {
	if status != "" {
		f.Statuses = []string{status}
		if !slices.Contains(pay.PayinStatuses, status) {
			return nil, misread("there is no status %q: %s are", status, strings.Join(pay.PayinStatuses, ", "))
		}
	}
	if err := a.check(ctx, &f); err != nil {
		return nil, err
	}
	if f.Before != uuid.Nil {
		if _, err := a.Store.Payin(ctx, f.Before); err != nil {
			return nil, named(err, "payin %s", f.Before)
		}
	}
	rows, err := lists.PayinsAcross(ctx, a.Store, f)
	if err != nil {
		return nil, err
	}
	out := make([]PayinHead, len(rows))
	for i := range rows {
		if out[i], err = payinHead(&rows[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check refuses a filter by a name unknown to us: an empty list would be a false answer to it. Names get the spelling of the rows.
func (a *Admin) check(ctx context.Context, f *lists.AcrossFilter) error {
	if f.Network != "" {
		n, ok := pay.NetworkCalled(f.Network)
		if !ok {
			return refuse("there is no network %q", f.Network)
		}
		f.Network = n.Name
	}
	if f.Token != "" {
		tokens, err := a.Store.Tokens(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tokens, func(t pay.Token) bool { return strings.EqualFold(t.Symbol, f.Token) })
		if i < 0 {
			return refuse("there is no token %q in the catalogue", f.Token)
		}
		f.Token = tokens[i].Symbol
	}
	for _, m := range f.Merchants {
		if err := a.known(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
