package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/sandbox"
	"causeway/client"
	"causeway/cmd/causeway/settings"
	"causeway/cmd/causeway/trying"
	"causeway/pay"
	"causeway/store"
	"causeway/vault"
)

// demo answers what the data directory's file says, with the demo merchant in it: that of an earlier start, or a fresh one.
func (h *house) demo(ctx context.Context, f devFlags) (d *settings.DevFile, err error) {
	d = h.settings.Dev
	if d == nil || !h.hasMerchant(ctx, d.MerchantID) {
		if d, err = h.newDemo(ctx); err != nil {
			return nil, err
		}
	}
	d.APIURL, d.OperatorURL = reachable(f.listen), reachable(f.operatorListen)
	d.InboxURL = d.OperatorURL + "/inbox"
	d.DatabaseURL, d.RedisURL = string(h.settings.DatabaseURL), string(h.settings.RedisURL)
	d.SecretsKey, d.HeaderPrefix = h.settings.SecretsKey.Text(), string(h.settings.HeaderPrefix)
	if err := h.demoOperator(ctx, d); err != nil {
		return nil, err
	}
	merchant, err := uuid.Parse(d.MerchantID)
	if err != nil {
		return nil, err
	}
	if secrets, _ := trying.WebhookSecrets(ctx, h.store, h.vault, merchant); len(secrets) > 0 { // one that cannot be opened stays as it was told
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

func (h *house) hasMerchant(ctx context.Context, id string) bool {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return false
	}
	_, err = h.store.Merchant(ctx, parsed)
	return err == nil
}

// newDemo makes the demo merchant with its three keys.
func (h *house) newDemo(ctx context.Context) (*settings.DevFile, error) {
	d := &settings.DevFile{WebhookSecret: vault.NewSecret("whsec_"), SigningSecret: vault.NewSecret("sk_sign_")}
	m := &pay.Merchant{ID: uuid.Must(uuid.NewV7()), Name: "Demo", Verified: true, APIAccess: true, InactivityDays: 180, RevokeNoticeDays: 30,
		Terms: pay.Terms{PaysPaymentNetworkFee: true, PaysWithdrawalNetworkFee: true}, WalletsMode: "global", WalletsLimit: new(1000)}
	d.MerchantID = m.ID.String()
	m.WebhookSecret = h.vault.Seal([]byte(d.WebhookSecret), vault.WebhookSecretPlace(d.MerchantID))
	err := h.store.InTx(ctx, func(tx *store.Store) (err error) {
		if err := tx.AddMerchant(ctx, m); err != nil {
			return err
		}
		if d.APIKey, err = h.demoKey(ctx, tx, m.ID, pay.Scopes, ""); err != nil {
			return err
		}
		if d.ReadOnlyKey, err = h.demoKey(ctx, tx, m.ID, pay.LegacyScopes, ""); err != nil {
			return err
		}
		d.SignedKey, err = h.demoKey(ctx, tx, m.ID, pay.Scopes, d.SigningSecret)
		return err
	})
	return d, err
}

func (h *house) demoKey(ctx context.Context, tx *store.Store, merchant uuid.UUID, scopes []string, secret string) (string, error) {
	id, key := h.vault.NewAPIKey()
	k := &pay.Key{ID: id, MerchantID: merchant, Hash: h.vault.Hash(key), Scopes: scopes, Signs: secret != ""}
	if secret != "" {
		k.SigningSecret = h.vault.Seal([]byte(secret), vault.SigningSecretPlace(id))
	}
	return key, tx.AddKey(ctx, k)
}

// demoFunds are the payins by which the demo merchant comes to money.
var demoFunds = []struct{ network, token, amount string }{
	{"Tron", "USDT", "10000"}, {"Ethereum", "USDC", "10000"}, {"Ethereum", "ETH", "5"}, {"Bitcoin", "BTC", "0.5"},
}

// fundDemo pays payins of the demo merchant, made through its own API, and waits until their money is available. What an
// earlier start had done of it is not done again.
func (h *house) fundDemo(ctx context.Context, d *settings.DevFile, told func(what string, done, total int)) error {
	chain, merchant := sandbox.Operator{DB: h.db}, uuid.MustParse(d.MerchantID)
	api, err := h.demoClient(d)
	if err != nil {
		return err
	}
	var references []string
	for i, f := range demoFunds {
		told("paying the demo merchant", i, len(demoFunds))
		n, _ := h.networks.Network(f.network)
		if n.Kind != "sandbox" {
			continue
		}
		reference := fmt.Sprintf("demo-funds-%d", i+1)
		references = append(references, reference)
		p, err := h.store.MerchantPayin(ctx, merchant, uuid.Nil, reference)
		if errors.Is(err, pay.ErrNotFound) {
			_, err = api.CreatePayin(ctx, client.Payin{ReferenceID: reference, Network: f.network, CryptoCurrency: f.token,
				ProcessBy: "crypto_amount", CryptoAmount: f.amount, WebhookURL: d.InboxURL + "/funds"})
			if err == nil {
				p, err = h.store.MerchantPayin(ctx, merchant, uuid.Nil, reference)
			}
		}
		if err != nil {
			return fmt.Errorf("fund the demo merchant: %w", err)
		}
		if p.Status != pay.PayinPending {
			continue
		}
		amount := decimal.RequireFromString(f.amount)
		_, err = chain.Pay(ctx, sandbox.Payment{Network: f.network, Token: f.token, To: p.Wallet, Amount: amount, Txid: reference})
		if err != nil && !errors.Is(err, sandbox.ErrKnown) {
			return err
		}
		if _, err := chain.Mine(ctx, f.network, n.Rule.Final); err != nil {
			return err
		}
	}
	told("waiting until the demo merchant's money is final", 0, 0)
	return h.awaitFunds(ctx, merchant, references)
}

// demoClient is the demo merchant's client of the running API.
func (h *house) demoClient(d *settings.DevFile) (*client.Client, error) {
	return client.New(client.Config{BaseURL: d.APIURL, Key: d.APIKey, HeaderPrefix: string(h.settings.HeaderPrefix)})
}

// awaitFunds waits until payins of the merchant are completed and their money is final.
func (h *house) awaitFunds(ctx context.Context, merchant uuid.UUID, references []string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		open, err := h.store.OpenPayins(ctx, merchant, references)
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("the demo merchant's money did not become available")
		case <-tick.C:
		}
	}
}

// playDemo plays a payin and a payout of the demo merchant, and tells of them.
func (h *house) playDemo(ctx context.Context, out io.Writer, d *settings.DevFile) error {
	if err := h.settings.MustBeSandbox(trying.Network); err != nil {
		return err
	}
	api, err := h.demoClient(d)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "A payin and a payout, played now:\n\n")
	demo := &trying.Demo{API: api, Chain: sandbox.Operator{DB: h.db}, Rows: h.store, Inbox: d.InboxURL, Out: out}
	if err := demo.Play(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe webhooks are at %s/, all of it in the console. Ctrl-C ends everything; data and keys stay.\n\n", d.InboxURL)
	return nil
}
