package api

import (
	"causeway/internal/pay"
	"causeway/internal/vault"
)

// verify checks the signature of a request under a signing key; only a valid one spends its nonce (addendum §1).
func (f *front) verify(c *Call) error {
	r, key := c.Request, &c.Caller.Key
	said := signed{one(r, f.headers.signature), one(r, f.headers.timestamp), one(r, f.headers.nonce)}
	if err := said.check(c.Now); err != nil {
		return said.explained(err, f.headers)
	}
	secret, err := f.secret(c, key)
	if err != nil {
		return err
	}
	sum, err := c.readSigned()
	if err != nil {
		return err
	}
	path, query := target(r)
	if !said.matches(secret, r.Method, path, query, sum) {
		return errSignature
	}
	fresh, err := f.Keys.SpendNonce(c.Context(), key.ID, said.nonce)
	if err == nil && !fresh {
		return errReplayed
	}
	return err
}

func (f *front) secret(c *Call, key *pay.Key) ([]byte, error) {
	if key.SigningSecret == nil {
		return nil, errSecret
	}
	secret, err := f.Vault.Open(key.SigningSecret, vault.SigningSecretPlace(key.ID))
	if err != nil {
		c.Log().WithError(err).Error("signing secret does not open")
		return nil, errSecret.Because(err)
	}
	if len(secret) == 0 {
		return nil, errSecret
	}
	return secret, nil
}
