package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/vault"
	"causeway/ledger"
	"causeway/migrations"
)

// people are the merchants of every arena. The first is the hot one.
type people struct {
	merchants []uuid.UUID
	keys      []string // one each, of all scopes
	secret    string   // webhook secret of all
}

const template = "seeded"

// plenty is the worth of each token of a hot wallet in USD: no run comes to its end.
var plenty = decimal.New(1, 12)

// seed makes the database copied by every arena: the newest schema, the sandbox networks, and merchants with a key and
// money each.
func (b *bench) seed() error {
	if err := b.execute("", "create database "+template); err != nil {
		return err
	}
	db, err := pg.Open(b.address(template), 2)
	if err != nil {
		return err
	}
	b.people = &people{secret: vault.NewWebhookSecret()}
	err = errors.Join(migrations.Up(b.ctx, db), sandbox.Genesis(b.ctx, db, plenty, pay.Networks...), b.people.move(b.ctx, db, vault.New(b.secrets)))
	return errors.Join(err, db.Close())
}

// move makes the merchants and gives them money of the operator's.
func (p *people) move(ctx context.Context, db *bun.DB, v *vault.Vault) error {
	if err := p.settle(ctx, db, v); err != nil {
		return err
	}
	entries := make([]ledger.Entry, len(p.merchants))
	for i, merchant := range p.merchants {
		entries[i] = gift(merchant, i == 0)
	}
	if _, err := ledger.Post(ctx, db, entries...); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "vacuum analyze merchants, keys, accounts, balances, entries, postings") // as autovacuum would
	return err
}

// settle makes the merchants.
func (p *people) settle(ctx context.Context, db *bun.DB, v *vault.Vault) error {
	type resident struct {
		Merchant uuid.UUID `json:"merchant"`
		Secret   []byte    `json:"secret"`
		Key      string    `json:"key"`
		Hash     []byte    `json:"hash"`
	}
	residents := make([]resident, many+1)
	for i := range residents {
		r := &residents[i]
		r.Merchant = uuid.Must(uuid.NewV7())
		r.Secret = v.Seal([]byte(p.secret), vault.WebhookSecretPlace(r.Merchant.String()))
		id, key := v.NewAPIKey()
		r.Key, r.Hash = id, v.Hash(key)
		p.merchants, p.keys = append(p.merchants, r.Merchant), append(p.keys, key)
	}
	body, err := json.Marshal(residents)
	if err != nil {
		return err
	}
	const query = `with r as (select * from jsonb_to_recordset(?0::jsonb) as r(merchant uuid, secret text, key text, hash text)),
		m as (insert into merchants (id, name, withdrawal_rate, payment_rate, webhook_secret)
			select merchant, 'merchant', 1, 1, decode(secret, 'base64') from r)
		insert into keys (id, merchant_id, hash, scopes) select key, merchant, decode(hash, 'base64'), ?1 from r`
	if _, err := db.NewRaw(query, string(body), bun.Safe("'{"+strings.Join(pay.Scopes, ",")+"}'")).Exec(ctx); err != nil {
		return fmt.Errorf("make merchants: %w", err)
	}
	return nil
}

// gift is money for the whole run: a transfer claimed by nobody.
func gift(merchant uuid.UUID, hot bool) ledger.Entry {
	amount := decimal.New(1, 5)
	if hot {
		amount = decimal.New(1, 8)
	}
	return ledger.UnclaimedAssigned(merchant, "USDT", &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: payinNetwork, Amount: amount})
}

// of returns the merchant of a client's nth request, when there are so many of them.
func (p *people) of(merchants, n int) int {
	if merchants == hot {
		return 0
	}
	return 1 + n%merchants
}

// create copies a database.
func (b *bench) create(database, original string) error {
	return b.admin("", func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "create database "+database+" template "+original)
		return err
	})
}
