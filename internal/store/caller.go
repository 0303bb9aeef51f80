package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun/dialect/pgdialect"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// Caller is a request's key with its merchant, terms and remembered answer, read in one round trip.
type Caller struct {
	Key        pay.Key
	Merchant   pay.Merchant // without its webhook secrets
	Overrides  []pay.NetworkTerms
	Remembered *Remembered // nil unless an Idempotency-Key was asked for and is known
	Revisions
}

// Revisions are two numbers, changed by every change of the data that a process may cache. A process compares them to
// see whether its cache is current.
type Revisions struct {
	Catalogue int64 // of tokens, fiats and prices; it rises, but where a database has lost its last changes: to no number of before then
	Access    int64 // of keys, merchants and their terms on networks; no change ever has the number of another
}

// Terms returns the caller's rates and network fee rules on a network.
func (c *Caller) Terms(network string) pay.Terms { return c.Merchant.On(network, c.Overrides) }

// Ask names a caller: the id of a key, and the Idempotency-Key of its request, "" for none.
type Ask struct{ KeyID, IdempotencyKey string }

const callersQuery = `
select a.place, k.id, k.merchant_id, k.hash, k.scopes, k.ips, k.signs, k.signing_secret, k.daily_limit_usd,
  k.rate_limit, k.rate_window, k.expires_at, k.revoked_at, k.created_at,
  m.name, m.email, m.verified, m.suspended, m.api_access, m.preferred_fiat, m.minimum_payment,
  m.inactivity_days, m.revoke_notice_days, m.payment_rate, m.receipt_rate, m.deposit_rate, m.withdrawal_rate,
  m.user_pays_payment_network_fee, m.user_pays_receipt_network_fee,
  m.user_pays_deposit_network_fee, m.user_pays_withdrawal_network_fee,
  coalesce(m.wallets_mode, ''), m.wallets_limit, m.wallets_limits, m.wallets_webhook_url, m.created_at,
  (select json_agg(n order by n.network) from merchant_networks n where n.merchant_id = m.id),
  (select version from revisions where name = 'catalogue'), (select version from revisions where name = 'access'),
  i.key is not null, i.status, i.body, i.request, coalesce((extract(epoch from now() - i.claimed_at) * 1000)::bigint, 0)
from unnest($1::text[], $2::text[]) with ordinality as a(key_id, idempotency_key, place)
join keys k on k.id = a.key_id
join merchants m on m.id = k.merchant_id
left join idempotency_keys i on i.merchant_id = k.merchant_id and i.key = nullif(a.idempotency_key, '')`

// Callers reads the callers of keys, revoked and expired ones included. Where an Idempotency-Key is given, it also
// reads the answer remembered under it; all in one round trip. The answers are in the order of the asks, nil for an
// unknown key.
func (s *Store) Callers(ctx context.Context, asks []Ask) (found []*Caller, err error) {
	keys, remembered := make([]string, len(asks)), make([]string, len(asks))
	for i, a := range asks {
		keys[i], remembered[i] = a.KeyID, a.IdempotencyKey
	}
	found = make([]*Caller, len(asks))
	err = pg.Rows(ctx, s.Q, "read keys", func(row *sql.Rows) error {
		place, c, err := scanCaller(row)
		if err != nil {
			return err
		}
		found[place-1] = c
		return nil
	}, callersQuery, keys, remembered)
	return found, err
}

// Revisions reads the numbers that Callers reads with each key. A caller read at these numbers is still current.
func (s *Store) Revisions(ctx context.Context) (now Revisions, err error) {
	err = pg.Rows(ctx, s.Q, "read revisions", func(row *sql.Rows) error { return row.Scan(&now.Catalogue, &now.Access) }, `
select (select version from revisions where name = 'catalogue'), (select version from revisions where name = 'access')`)
	return now, err
}

// scanCaller reads a row of callersQuery.
func scanCaller(row *sql.Rows) (place int, c *Caller, err error) {
	var (
		overrides []byte
		known     bool
		memory    Remembered
		age       int64
	)
	c = new(Caller)
	into := append([]any{&place}, keyColumns(&c.Key)...)
	into = append(append(into, merchantColumns(&c.Merchant)...), &overrides, &c.Catalogue, &c.Access, &known, &memory.Status, &memory.Body, &memory.Sum, &age)
	if err := row.Scan(into...); err != nil {
		return 0, nil, err
	}
	c.Merchant.ID = c.Key.MerchantID
	if known {
		memory.Age = time.Duration(age) * time.Millisecond
		c.Remembered = &memory
	}
	return place, c, readOverrides(c, overrides)
}

// keyColumns and merchantColumns are the targets of callersQuery's columns, in its order.
func keyColumns(k *pay.Key) []any {
	return []any{
		&k.ID, &k.MerchantID, &k.Hash, pgdialect.Array(&k.Scopes), pgdialect.Array(&k.IPs), &k.Signs, &k.SigningSecret,
		&k.DailyLimitUSD, &k.RateLimit, &k.RateWindow, &k.ExpiresAt, &k.RevokedAt, &k.CreatedAt,
	}
}

func merchantColumns(m *pay.Merchant) []any {
	return []any{
		&m.Name, &m.Email, &m.Verified, &m.Suspended, &m.APIAccess, &m.PreferredFiat, &m.MinimumPayment,
		&m.InactivityDays, &m.RevokeNoticeDays, &m.PaymentRate, &m.ReceiptRate, &m.DepositRate, &m.WithdrawalRate,
		&m.PaysPaymentNetworkFee, &m.PaysReceiptNetworkFee, &m.PaysDepositNetworkFee, &m.PaysWithdrawalNetworkFee,
		&m.WalletsMode, &m.WalletsLimit, (*[]byte)(&m.WalletsLimits), &m.WalletsWebhook, &m.CreatedAt,
	}
}

// override is a row of merchant_networks as json_agg writes it; numbers keep their exact text.
type override struct {
	Network        string              `json:"network"`
	PaymentRate    decimal.NullDecimal `json:"payment_rate"`
	ReceiptRate    decimal.NullDecimal `json:"receipt_rate"`
	DepositRate    decimal.NullDecimal `json:"deposit_rate"`
	WithdrawalRate decimal.NullDecimal `json:"withdrawal_rate"`
	PaysPayment    *bool               `json:"user_pays_payment_network_fee"`
	PaysReceipt    *bool               `json:"user_pays_receipt_network_fee"`
	PaysDeposit    *bool               `json:"user_pays_deposit_network_fee"`
	PaysWithdrawal *bool               `json:"user_pays_withdrawal_network_fee"`
}

func readOverrides(c *Caller, text []byte) error {
	if text == nil {
		return nil
	}
	var rows []override
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("read network terms of key %s: %w", c.Key.ID, err)
	}
	c.Overrides = make([]pay.NetworkTerms, len(rows))
	for i, r := range rows {
		c.Overrides[i] = pay.NetworkTerms{
			MerchantID: c.Merchant.ID, Network: r.Network,
			PaymentRate: r.PaymentRate, ReceiptRate: r.ReceiptRate, DepositRate: r.DepositRate, WithdrawalRate: r.WithdrawalRate,
			PaysPaymentNetworkFee: r.PaysPayment, PaysReceiptNetworkFee: r.PaysReceipt,
			PaysDepositNetworkFee: r.PaysDeposit, PaysWithdrawalNetworkFee: r.PaysWithdrawal,
		}
	}
	return nil
}
