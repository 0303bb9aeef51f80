package devcmd

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
	demoName    = "demo" // the operator made by causeway dev
	demoWallets = 1000   // the demo merchant's limit of fixed wallets
)

// demo returns the content of dev.json with the demo merchant in it: the one of an earlier start, or a fresh one.
func (d *Dev) demo(ctx context.Context) (file *settings.DevFile, err error) {
	file = d.settings.Dev
	if file == nil || !d.hasMerchant(ctx, file.MerchantID) {
		if file, err = d.newDemo(ctx); err != nil {
			return nil, err
		}
	}
	file.APIURL, file.OperatorURL = reachable(string(d.flags.listen)), reachable(string(d.flags.operatorListen))
	file.PublicBaseURL, file.InboxURL = string(d.settings.PublicBaseURL), file.OperatorURL+"/inbox"
	file.DatabaseURL, file.RedisURL = string(d.settings.DatabaseURL), string(d.settings.RedisURL)
	file.SealKey = d.settings.SealKey.Text()
	file.SecretsKey, file.HeaderPrefix = d.settings.SecretsKey.Text(), string(d.settings.HeaderPrefix)
	if err := d.operator(ctx, file); err != nil {
		return nil, err
	}
	merchant, err := uuid.Parse(file.MerchantID)
	if err != nil {
		return nil, err
	}
	// If none can be opened, the file keeps its secret.
	if secrets, _ := integratorcmd.WebhookSecrets(ctx, d.Store, d.Vault, merchant); len(secrets) > 0 {
		file.WebhookSecret = secrets[0]
	}
	d.merchant.Store(&merchant)
	return file, nil
}

// reachable is the address of a server on this machine by where it listens: "any" is reached at loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip.IsUnspecified()) {
		listen = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + listen
}

func (d *Dev) hasMerchant(ctx context.Context, id string) bool {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return false
	}
	_, err = d.Store.Merchant(ctx, parsed)
	return err == nil
}

// newDemo makes the demo merchant with its three keys, as an operator makes others: all of it or nothing, since keys are shown once.
func (d *Dev) newDemo(ctx context.Context) (file *settings.DevFile, err error) {
	err = d.Store.InTx(ctx, func(tx *store.Store) error {
		a := d.admin()
		a.Store = tx
		file, err = newMerchant(ctx, a)
		return err
	})
	return file, err
}

func newMerchant(ctx context.Context, a *admin.Admin) (*settings.DevFile, error) {
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

// admin returns the operator's acts with causeway dev as the actor.
func (d *Dev) admin() *admin.Admin {
	return &admin.Admin{Store: d.Store, Vault: d.Vault, Actor: "causeway dev"}
}

// operator makes sure the name and password in dev.json let somebody log in to the console.
func (d *Dev) operator(ctx context.Context, file *settings.DevFile) error {
	a := d.admin()
	_, err := d.Store.OperatorNamed(ctx, demoName)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		file.OperatorName, file.OperatorPass = demoName, vault.NewPassword()
		_, err = a.CreateOperator(ctx, demoName, admin.RoleAdmin, file.OperatorPass)
	case err == nil && file.OperatorPass == "":
		file.OperatorName, file.OperatorPass = demoName, vault.NewPassword()
		_, err = a.SetOperatorPassword(ctx, demoName, file.OperatorPass)
	}
	if err != nil {
		return err
	}
	known := *file
	d.login.Store(&known)
	return nil
}

// client is the demo merchant's client of the running API.
func (d *Dev) client(file *settings.DevFile) (*client.Client, error) {
	return client.New(client.Config{BaseURL: file.APIURL, Key: file.APIKey, HeaderPrefix: string(d.settings.HeaderPrefix)})
}

// play plays a payin and a payout of the demo merchant, and tells of them.
func (d *Dev) play(ctx context.Context, out io.Writer, file *settings.DevFile) error {
	if err := d.settings.MustBeSandbox(integratorcmd.Network); err != nil {
		return err
	}
	api, err := d.client(file)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "A payin and a payout, played now:\n\n")
	demo := &integratorcmd.Demo{API: api, Chain: sandbox.Operator{DB: d.DB}, Rows: d.Store, Inbox: file.InboxURL, Out: out}
	if err := demo.Play(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe webhooks are at %s/, all of it in the console. Ctrl-C ends everything; data and keys stay.\n\n", file.InboxURL)
	return nil
}
