package admin

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// NewKey is the input for a new API key.
type NewKey struct {
	Merchant      uuid.UUID
	Scopes        []string // nil = every scope
	Legacy        bool     // a key from before scopes existed: read-only
	IPs           []string // nil = from anywhere
	Sign          bool     // requests must be signed
	DailyLimitUSD string   // "" = none
	Requests      int      // of the key's own quota per Seconds; 0 = the service's
	Seconds       int
	Expires       *time.Time
}

// Key is an API key as the operator sees it. The key and its signing secret are shown when it is made, and never again.
type Key struct {
	ID            string              `json:"id"`
	MerchantID    uuid.UUID           `json:"merchant_id"`
	Scopes        []string            `json:"scopes"` // null = made before scopes existed: read-only
	IPs           []string            `json:"ips"`    // null = from anywhere
	Signs         bool                `json:"signs"`
	SecretUsable  bool                `json:"signing_secret_usable"`
	DailyLimitUSD decimal.NullDecimal `json:"daily_limit_usd"`
	RateLimit     *RateLimit          `json:"rate_limit"` // null = the service's
	ExpiresAt     *time.Time          `json:"expires_at"`
	RevokedAt     *time.Time          `json:"revoked_at"`
	CreatedAt     time.Time           `json:"created_at"`
	APIKey        string              `json:"api_key,omitempty"`
	SigningSecret string              `json:"signing_secret,omitempty"`
}

// RateLimit is a key's own quota.
type RateLimit struct {
	Requests int `json:"requests"`
	Seconds  int `json:"seconds"`
}

func viewKey(k *pay.Key) *Key {
	view := &Key{ID: k.ID, MerchantID: k.MerchantID, Scopes: k.Scopes, IPs: k.IPs, Signs: k.Signs, SecretUsable: k.SigningSecret != nil,
		DailyLimitUSD: k.DailyLimitUSD, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt, CreatedAt: k.CreatedAt}
	if k.RateLimit != nil && k.RateWindow != nil {
		view.RateLimit = &RateLimit{*k.RateLimit, *k.RateWindow}
	}
	return view
}

// CreateKey makes an API key for a merchant. Only its hash is kept.
func (a *Admin) CreateKey(ctx context.Context, n NewKey) (*Key, error) {
	k, err := n.key()
	if err != nil {
		return nil, err
	}
	var shown Key
	k.ID, shown.APIKey = a.Vault.NewAPIKey()
	k.Hash = a.Vault.Hash(shown.APIKey)
	if n.Sign {
		shown.SigningSecret = vault.NewSigningSecret()
		k.SigningSecret = a.Vault.Seal([]byte(shown.SigningSecret), vault.SigningSecretPlace(k.ID))
	}
	err = a.Change(ctx, "key.create", "key:"+k.ID, func(tx *store.Store) (before, after any, err error) {
		if _, err := tx.MerchantForUpdate(ctx, n.Merchant); err != nil {
			return nil, nil, named(err, "merchant %s", n.Merchant)
		}
		if err := tx.AddKey(ctx, k); err != nil {
			return nil, nil, err
		}
		return nil, viewKey(k), a.tellKey(ctx, tx, k)
	})
	if err != nil {
		return nil, err
	}
	view := viewKey(k)
	view.APIKey, view.SigningSecret = shown.APIKey, shown.SigningSecret
	return view, nil
}

// tellKey tells people of the merchant that a key was created.
func (a *Admin) tellKey(ctx context.Context, tx *store.Store, k *pay.Key) error {
	by, does := "the operator of this service", "It does not pay out."
	if email, person := people.ActorEmail(a.Actor); person {
		by = email
	}
	if slices.Contains(k.Scopes, pay.ScopePayoutWrite) {
		does = "It can pay out money."
	}
	told := message.Of(message.KeyCreated)
	return tx.TellPeople(ctx, string(told.Topic), told.Roles, told.Title,
		store.MessageFact{Merchant: k.MerchantID, Line: "Key " + k.ID + " was created by " + by + ". " + does, Page: PanelPath + "developers"})
}

// Check refuses where CreateKey would refuse the input alone. It makes nothing.
func (n NewKey) Check() error {
	_, err := n.key()
	return err
}

// key checks the input.
func (n NewKey) key() (*pay.Key, error) {
	k := &pay.Key{MerchantID: n.Merchant, Signs: n.Sign, ExpiresAt: n.Expires}
	for _, check := range []func(*pay.Key) error{n.scopes, n.ips, n.limits} {
		if err := check(k); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (n NewKey) scopes(k *pay.Key) error {
	if n.Legacy {
		if n.Scopes != nil {
			return refuse("a legacy key has no scopes of its own")
		}
		return nil
	}
	k.Scopes = pay.Scopes
	if n.Scopes == nil {
		return nil
	}
	k.Scopes = []string{}
	for _, scope := range n.Scopes {
		if !slices.Contains(pay.Scopes, scope) {
			return misread("there is no scope %q: %s are", scope, strings.Join(pay.Scopes, ", "))
		}
		if !slices.Contains(k.Scopes, scope) {
			k.Scopes = append(k.Scopes, scope)
		}
	}
	if len(k.Scopes) == 0 {
		return misread("a key without any scope could do nothing")
	}
	return nil
}

func (n NewKey) ips(k *pay.Key) error {
	for _, text := range n.IPs {
		prefix, err := netip.ParsePrefix(text)
		if ip, single := netip.ParseAddr(text); single == nil && ip.Zone() == "" {
			prefix, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil {
			return misread("%q is neither an IP address nor a CIDR", text)
		}
		if prefix.Addr().Is4In6() {
			return refuse("%s is IPv4 inside IPv6: write it as IPv4", text)
		}
		k.IPs = append(k.IPs, prefix.Masked().String())
	}
	if n.IPs != nil && k.IPs == nil {
		return misread("an empty list of IP addresses would lock the key out")
	}
	return nil
}

func (n NewKey) limits(k *pay.Key) error {
	if n.DailyLimitUSD != "" {
		limit, err := number(n.DailyLimitUSD, 8)
		if err != nil {
			return at("daily limit", err)
		}
		k.DailyLimitUSD = decimal.NewNullDecimal(limit)
	}
	if n.Requests != 0 || n.Seconds != 0 {
		if n.Requests < 1 || n.Seconds < 1 {
			return refuse("a rate limit is requests/seconds, like 100/60, both at least 1")
		}
		k.RateLimit, k.RateWindow = &n.Requests, &n.Seconds
	}
	if n.Expires != nil && !n.Expires.After(time.Now()) {
		return refuse("the key would expire at %s, which is in the past", n.Expires.Format(time.RFC3339))
	}
	return nil
}

// RevokeKey ends a key at once. A key revoked already stays so.
func (a *Admin) RevokeKey(ctx context.Context, id string) (*Key, error) {
	return a.changeKey(ctx, "key.revoke", id, (*store.Store).RevokeKey)
}

// DropKeySecret leaves a signing key without a usable secret: its requests are refused until it is replaced.
func (a *Admin) DropKeySecret(ctx context.Context, id string) (*Key, error) {
	return a.changeKey(ctx, "key.drop-secret", id, func(tx *store.Store, ctx context.Context, k *pay.Key) error {
		if !k.Signs {
			return refuse("key %s needs no signature, so it has no secret", id)
		}
		return tx.DropKeySecret(ctx, k)
	})
}

func (a *Admin) changeKey(ctx context.Context, action, id string, work func(*store.Store, context.Context, *pay.Key) error) (*Key, error) {
	var view *Key
	err := a.Change(ctx, action, "key:"+id, func(tx *store.Store) (before, after any, err error) {
		k, err := tx.KeyForUpdate(ctx, id)
		if err != nil {
			return nil, nil, named(err, "key %q", id)
		}
		before = viewKey(k)
		err = work(tx, ctx, k)
		view = viewKey(k)
		return before, view, err
	})
	return view, err
}
