package api

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
)

var (
	errInvalidIP    = pay.E(pay.Invalid, "invalid_ip", "The client's IP address cannot be determined.")
	errKeyMissing   = pay.E(pay.Unauthorized, "api_key_missing", "The API key header is missing.")
	errKeyInvalid   = pay.E(pay.Unauthorized, "api_key_invalid", "The API key is unknown, revoked or expired, or its account is suspended.")
	errAccessDenied = pay.E(pay.Forbidden, "api_access_denied", "API access is disabled for this account.")
	errUnverified   = pay.E(pay.Forbidden, "email_not_verified", "The account's e-mail address is not verified.")
	errIPUnlisted   = pay.E(pay.Forbidden, "ip_not_authorized", "This key may not be used from this IP address.")
	errScope        = pay.E(pay.Forbidden, "scope_denied", "The key's scopes do not cover this operation.")
)

// countWithin is how long a failed authentication may take to be counted; the client's hanging up does not stop it.
const countWithin = time.Second

// longBody is how long a request may take to arrive before its key is looked at again.
const longBody = time.Second

// admit runs the checks 2 to 9 of addendum §4 in their order and fills in the caller.
func (f *front) admit(c *Call) error {
	ip, ok := clientIP(c.Request, f.TrustedProxies)
	if !ok {
		return errInvalidIP
	}
	c.IP = ip
	from := origin(ip)
	if left := f.failures.blocked(c.Context(), from, c.Now); left > 0 {
		c.retryAfter(left)
		return errBlocked
	}
	if err := f.authenticate(c); err != nil {
		f.count(c, from, err)
		return err
	}
	if err := f.spendQuota(c); err != nil {
		return err
	}
	return inScope(c)
}

// count records a failed authentication: every 401 but a replayed nonce, and a signed body cut short (addendum §4).
func (f *front) count(c *Call, from string, err error) {
	var refusal *pay.Error
	if !errors.As(err, &refusal) {
		return
	}
	if refusal.Code != errUnreadable.Code && (refusal.Kind != pay.Unauthorized || refusal.Code == errReplayed.Code) {
		return
	}
	ctx, cancel := c.Lasting(countWithin)
	defer cancel()
	f.failures.missed(ctx, from, c.Now)
}

func (f *front) authenticate(c *Call) error {
	if err := f.known(c); err != nil {
		return err
	}
	if !c.Caller.Key.Signs {
		return nil
	}
	return f.verify(c)
}

// known finds the caller by the key, and whether he may call at all; an unknown key takes the work of a known one.
func (f *front) known(c *Call) error {
	lines := c.Request.Header[f.headers.key]
	if strings.Join(lines, "") == "" {
		return reworded(errKeyMissing, "The header "+f.headers.key+" with the API key is missing.")
	}
	id, ok := f.Vault.ParseAPIKey(lines[0])
	if !ok || len(lines) > 1 {
		return errKeyInvalid
	}
	if c.route.Idempotent {
		c.IdempotencyKey, c.keyTooLong = idempotencyKey(c.Request)
	}
	caller, err := f.Keys.Caller(c.Context(), id, c.IdempotencyKey)
	if err != nil && !errors.Is(err, pay.ErrNotFound) {
		return err
	}
	if err := f.mayCall(c, caller, lines[0]); err != nil {
		return err
	}
	c.Caller = caller
	return nil
}

// mayCall reports why the caller behind a sent key may not call. An unknown key has no caller.
func (f *front) mayCall(c *Call, caller *store.Caller, key string) error {
	var hash []byte
	if caller != nil {
		hash = caller.Key.Hash
	}
	known := f.Vault.Equal(key, hash)
	if known {
		c.key = caller.Key.ID
	}
	switch {
	case !known || caller.Merchant.Suspended || ended(&caller.Key, c.Now):
		return errKeyInvalid
	case !caller.Merchant.APIAccess:
		return errAccessDenied
	case !caller.Merchant.Verified:
		return errUnverified
	case !whitelisted(c.IP, caller.Key.IPs):
		return errIPUnlisted
	}
	return nil
}

func ended(k *pay.Key, now time.Time) bool {
	return k.RevokedAt != nil || k.ExpiresAt != nil && !k.ExpiresAt.After(now)
}

// spendQuota takes one request of the key's quota.
func (f *front) spendQuota(c *Call) error {
	quota := f.Quota
	if k := &c.Caller.Key; k.RateLimit != nil && k.RateWindow != nil {
		quota = Quota{Requests: *k.RateLimit, Window: time.Duration(*k.RateWindow) * time.Second}
	}
	if wait := f.quotas.spend(c.Caller.Key.ID, quota, c.Now); wait > 0 {
		c.retryAfter(wait)
		return errQuota(quota, wait)
	}
	return nil
}

// stillMay checks an admitted caller once more. If its key has begun to sign meanwhile, the request needs a signature.
func (f *front) stillMay(c *Call) error {
	signed := c.Caller.Key.Signs
	err := f.known(c)
	if err == nil && c.Caller.Key.Signs && !signed {
		err = f.verify(c)
	}
	if err != nil {
		f.count(c, origin(c.IP), err)
		return err
	}
	return inScope(c)
}

func inScope(c *Call) error {
	granted := c.Caller.Key.Granted()
	if slices.Contains(granted, c.route.Scope) {
		return nil
	}
	return errScope.With("required_scopes", []string{c.route.Scope}).With("granted_scopes", granted)
}

func (c *Call) retryAfter(wait time.Duration) {
	c.Header().Set("Retry-After", strconv.Itoa(wholeSeconds(wait)))
}
