package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/google/uuid"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/internal/cli/integratorcmd"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

const (
	demoName    = "demo" // the operator whom causeway dev makes
	demoWallets = 1000   // fixed wallets that the demo merchant may make
)

// demo returns what the data directory's file says, with the demo merchant in it: that of an earlier start, or a fresh one.
func (h *service) demo(ctx context.Context, f devFlags) (d *settings.DevFile, err error) {
	d = h.settings.Dev
	if d == nil || !h.hasMerchant(ctx, d.MerchantID) {
		if d, err = h.newDemo(ctx); err != nil {
			return nil, err
		}
	}
	d.APIURL, d.OperatorURL = reachable(string(f.listen)), reachable(string(f.operatorListen))
	d.InboxURL = d.OperatorURL + "/inbox"
	d.DatabaseURL, d.RedisURL = string(h.settings.DatabaseURL), string(h.settings.RedisURL)
	d.SealKey = h.settings.SealKey.Text()
	d.SecretsKey, d.HeaderPrefix = h.settings.SecretsKey.Text(), string(h.settings.HeaderPrefix)
	if err := h.demoOperator(ctx, d); err != nil {
		return nil, err
	}
	merchant, err := uuid.Parse(d.MerchantID)
	if err != nil {
		return nil, err
	}
	// One that cannot be opened stays as it was told.
	if secrets, _ := integratorcmd.WebhookSecrets(ctx, h.store, h.vault, merchant); len(secrets) > 0 {
		d.WebhookSecret = secrets[0]
	}
	h.demoMerchant.Store(&merchant)
	return d, nil
}

// reachable is the address of a server on this machine by where it listens: "any" is reached at loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip.IsUnspecified()) {
		listen = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + listen
}

func (h *service) hasMerchant(ctx context.Context, id string) bool {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return false
	}
	_, err = h.store.Merchant(ctx, parsed)
	return err == nil
}

// newDemo makes the demo merchant with its three keys, as an operator makes others: all of it or nothing, since keys are shown once.
func (h *service) newDemo(ctx context.Context) (d *settings.DevFile, err error) {
	err = h.store.InTx(ctx, func(tx *store.Store) error {
		a := h.devAdmin()
		a.Store = tx
		d, err = demoMerchant(ctx, a)
		return err
	})
	return d, err
}

func demoMerchant(ctx context.Context, a *admin.Admin) (*settings.DevFile, error) {
	m, err := a.CreateMerchant(ctx, admin.NewMerchant{Name: "Demo", Verified: true})
	if err != nil {
		return nil, err
	}
	if _, err := a.SetFixedWallets(ctx, m.ID, &admin.WalletBudget{Mode: pay.WalletsGlobal, Limit: new(demoWallets)}); err != nil {
		return nil, err
	}
	full, err := a.CreateKey(ctx, admin.NewKey{Merchant: m.ID})
	if err != nil {
		return nil, err
	}
	reads, err := a.CreateKey(ctx, admin.NewKey{Merchant: m.ID, Scopes: pay.LegacyScopes})
	if err != nil {
		return nil, err
	}
	signs, err := a.CreateKey(ctx, admin.NewKey{Merchant: m.ID, Sign: true})
	if err != nil {
		return nil, err
	}
	return &settings.DevFile{MerchantID: m.ID.String(), WebhookSecret: m.WebhookSecret, APIKey: full.APIKey, ReadOnlyKey: reads.APIKey,
		SignedKey: signs.APIKey, SigningSecret: signs.SigningSecret}, nil
}

// devAdmin is in whose name causeway dev makes what it needs.
func (h *service) devAdmin() *admin.Admin {
	return &admin.Admin{Store: h.store, Vault: h.vault, Actor: "causeway dev"}
}

// demoOperator makes sure that somebody can log in to the console with what dev.json says.
func (h *service) demoOperator(ctx context.Context, d *settings.DevFile) error {
	a := h.devAdmin()
	_, err := h.store.OperatorNamed(ctx, demoName)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		d.OperatorName, d.OperatorPass = demoName, vault.NewPassword()
		_, err = a.CreateOperator(ctx, demoName, admin.RoleAdmin, d.OperatorPass)
	case err == nil && d.OperatorPass == "":
		d.OperatorName, d.OperatorPass = demoName, vault.NewPassword()
		_, err = a.SetOperatorPassword(ctx, demoName, d.OperatorPass)
	}
	if err != nil {
		return err
	}
	known := *d
	h.demoLogin.Store(&known)
	return nil
}

// demoClient is the demo merchant's client of the running API.
func (h *service) demoClient(d *settings.DevFile) (*client.Client, error) {
	return client.New(client.Config{BaseURL: d.APIURL, Key: d.APIKey, HeaderPrefix: string(h.settings.HeaderPrefix)})
}

// playDemo plays a payin and a payout of the demo merchant, and tells of them.
func (h *service) playDemo(ctx context.Context, out io.Writer, d *settings.DevFile) error {
	if err := h.settings.MustBeSandbox(integratorcmd.Network); err != nil {
		return err
	}
	api, err := h.demoClient(d)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "A payin and a payout, played now:\n\n")
	demo := &integratorcmd.Demo{API: api, Chain: sandbox.Operator{DB: h.db}, Rows: h.store, Inbox: d.InboxURL, Out: out}
	if err := demo.Play(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe webhooks are at %s/, all of it in the console. Ctrl-C ends everything; data and keys stay.\n\n", d.InboxURL)
	return nil
}
