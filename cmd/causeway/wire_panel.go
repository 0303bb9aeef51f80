package main

import (
	"context"
	"errors"
	"net/url"

	"github.com/google/uuid"

	"causeway/api"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/checkout"
	"causeway/internal/web/panel"
	"causeway/internal/webhooks"
)

// panelBase is where people reach the merchants' panel, before its path; empty where there is none.
func panelBase(h *service) string {
	base, err := url.Parse(string(h.settings.PublicBaseURL))
	if err != nil || base.Host == "" || base.Path != "" && base.Path != "/" || h.settings.Sandbox {
		return ""
	}
	return base.Scheme + "://" + base.Host
}

// panel makes the merchants' panel; nil where its address is not known, or is below another one. A sandbox beside live networks has
// none: its people would be taken for those of the live books.
func (h *service) panel(o *api.Operations) *panel.Panel {
	base := panelBase(h)
	if base == "" {
		return nil
	}
	return panel.New(panel.Deps{Store: h.store, Vault: h.vault, Visitors: api.NewVisitors(h.hurried, h.settings.TrustedProxies, pageQuota), Log: h.log,
		Address:     base,
		Mails:       h.settings.SMTP.Server != nil,
		Withdrawals: withdrawals{api.Withdrawals{Payouts: &o.Payouts}},
		Refunds:     &o.Refunds,
		Deposits:    deposits{api.Deposits{Payins: &o.Payins, Wallets: &o.Wallets}},
		PayerPage:   o.Payins.Pages,
		Requests:    askers{&o.Requests},
		RequestPage: h.pageAddress(checkout.RequestPrefix),
		Links:       linkers{&o.Links},
		LogoPath:    func(hash string) string { return checkout.LookPrefix + hash + ".png" },
		EmbedScript: base + checkout.EmbedPath,
		EmbedPinned: base + checkout.EmbedPinned(),
		LinkPage:    func(slug string) string { return base + checkout.LinkPrefix + slug },
		Redeliver:   h.redeliver,
		Payable:     payable(o.Payouts.Addresses),

		WebhooksKept: int(h.settings.WebhooksKept),

		Receivers: receivers(webhooks.NewURLPolicy(h.settings.AllowedHosts, nil))})
}

// receivers checks addresses for webhooks of fixed wallets as the API does.
func receivers(urls *webhooks.URLPolicy) func(context.Context, string) (string, error) {
	return func(ctx context.Context, address string) (string, error) {
		err := urls.Check(ctx, address, webhooks.ForWallets)
		var refused *webhooks.URLError
		if errors.As(err, &refused) {
			return string(refused.Reason), nil
		}
		return "", err
	}
}

// payable checks addresses for address books as payouts are checked.
func payable(addresses api.Addresses) func(network, address string) (string, error) {
	return func(network, address string) (string, error) {
		_, err := addresses.Validate(network, address)
		switch {
		case errors.Is(err, pay.ErrNoDestination):
			return "this is no address that " + network + " can pay to", nil
		case err != nil: // it is not served here, or cannot be asked
			return "addresses of " + network + " cannot be checked here now", nil //nolint:nilerr // a refusal for the person
		}
		return "", nil
	}
}

// redeliver sends webhooks again as the API does.
func (h *service) redeliver(ctx context.Context, merchant, delivery uuid.UUID, actor string) (panel.Redelivery, error) {
	again, err := (&api.Deliveries{Store: h.store}).Again(ctx, merchant, delivery, actor)
	out := panel.Redelivery{Already: again.Already, Wait: again.Wait}
	if again.Delivery != nil {
		out.ID = again.Delivery.ID
	}
	return out, err
}

// withdrawals lets people of the panel withdraw as the API pays out.
type withdrawals struct{ api api.Withdrawals }

// Made implements panel.Withdrawals.
func (w withdrawals) Made(ctx context.Context, asked []*pay.Withdrawal) ([]*pay.Payout, error) {
	found, err := w.api.Made(ctx, asked)
	return found, refusedOr(err)
}

// Rehearse implements panel.Withdrawals.
func (w withdrawals) Rehearse(ctx context.Context, asked []*pay.Withdrawal) ([]panel.Withdrawn, error) {
	found, err := w.api.Rehearse(ctx, asked)
	return toPanel(found), refusedOr(err)
}

// Record implements panel.Withdrawals.
func (w withdrawals) Record(ctx context.Context, asked []*pay.Withdrawal) ([]panel.Withdrawn, error) {
	found, err := w.api.Record(ctx, asked)
	return toPanel(found), refusedOr(err)
}

// Allowed implements panel.Withdrawals.
func (w withdrawals) Allowed(ctx context.Context, p *pay.Payout) error {
	return refusedOr(w.api.Allowed(ctx, p))
}

// askers lets people of the panel make payment requests as the API makes them.
type askers struct{ *api.Requests }

// Make implements panel.Requests.
func (a askers) Make(ctx context.Context, f *pay.RequestForm) (*pay.PaymentRequest, error) {
	q, err := a.Requests.Make(ctx, f)
	return q, refusedOr(err)
}

func toPanel(found []api.Withdrawn) []panel.Withdrawn {
	out := make([]panel.Withdrawn, len(found))
	for i, f := range found {
		out[i] = panel.Withdrawn{Payout: f.Payout, Second: f.Second, Err: refusedOr(f.Err)}
	}
	return out
}

// deposits lets people of the panel deposit as the API's payers do.
type deposits struct{ api api.Deposits }

// Made implements panel.Deposits.
func (d deposits) Made(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	p, err := d.api.Made(ctx, n)
	return p, refusedOr(err)
}

// New implements panel.Deposits.
func (d deposits) New(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	p, err := d.api.New(ctx, n)
	return p, refusedOr(err)
}

// Wallet implements panel.Deposits.
func (d deposits) Wallet(ctx context.Context, merchant uuid.UUID, email string, family pay.Family, name string) (*pay.Wallet, error) {
	w, err := d.api.Wallet(ctx, merchant, email, family, name)
	return w, refusedOr(err)
}

// refusedOr makes a refusal for a person of one for a program.
func refusedOr(err error) error {
	if errors.Is(err, api.ErrDearer) {
		return panel.ErrDearer
	}
	if why, certain := api.Refused(err); certain {
		return people.Refusal(why)
	}
	return err
}
