package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// PayerPayin is a payin as its payer may see it: of the merchant only the name, of the request only the payment asked
// for. Columns not read here cannot be shown by mistake.
type PayerPayin struct {
	ID             uuid.UUID
	ReferenceID    string     // the label of its payment request, or that request's own, where it has one
	ReturnURL      string     // the shop's page, "" for none
	RequestID      *uuid.UUID // of the payment request that it was chosen for; nil for none
	Merchant       string     // name
	Logo           string     // as of pay.Look; colour and support are those of the request, where that has some
	Colour         string
	Support        string
	Sites          string
	Wallet         string
	Memo           *string
	Token          string
	Contract       string // of the token; empty for the native coin
	Decimals       int32  // of the token on its chain
	Precision      int    // decimals of its credits
	Network        string
	Amount         decimal.Decimal
	Received       decimal.Decimal
	MinimumPayment decimal.Decimal
	CreditAfter    pay.CreditDepth
	FiatCurrency   string
	FiatAmount     decimal.NullDecimal
	Status         pay.PayinStatus
	ReversedAt     *time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ExpiresAt      time.Time
	Now            time.Time // the database's clock when it was read
}

// PayerPayins returns payins by their ids. Transfers to fixed wallets are not among them: nobody was asked to pay those.
func (s *Store) PayerPayins(ctx context.Context, ids ...uuid.UUID) ([]PayerPayin, error) {
	var out []PayerPayin
	err := s.Q.NewRaw(`select p.id, coalesce(nullif(r.label, ''), r.reference_id, p.reference_id) as reference_id, p.return_url, c.request_id, m.name as merchant,
			coalesce(l.logo, '') as logo, coalesce(nullif(r.colour, ''), l.colour, '') as colour, coalesce(nullif(r.support, ''), l.support, '') as support,
			coalesce((select string_agg(s.site, ' ' order by s.site) from merchant_sites s where s.merchant_id = p.merchant_id), '') as sites, p.wallet, p.memo, p.token, coalesce(t.contract, '') as contract,
			coalesce(t.decimals, 0) as decimals, coalesce(t.precision, 8) as precision, p.network, p.amount, p.received, p.minimum_payment, p.credit_after, p.fiat_currency, p.fiat_amount,
			p.status, p.reversed_at, p.created_at, p.updated_at, p.expires_at, now() as now
		from payins p join merchants m on m.id = p.merchant_id
		left join payment_choices c on c.payin_id = p.id
		left join payment_requests r on r.id = c.request_id
		left join merchant_looks l on l.merchant_id = p.merchant_id
		left join tokens t on t.symbol = p.token and t.network = p.network
		where p.id = any(?::uuid[]) and p.wallet_id is null`, pg.Array(pg.Texts(ids))).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read payins for their payers: %w", err)
	}
	return out, nil
}
