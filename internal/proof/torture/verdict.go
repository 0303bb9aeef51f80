package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

// evidence is everything there at the end, read past the product: its rows, the chains, and the notes of the clients
// and the receiver.
type evidence struct {
	t          *torture
	payouts    []payoutRow
	sent       []chainRow // from addresses of ours, without the moves of the treasury
	paid       []chainRow // by customers
	payins     []payinRow
	transfers  []transferRow
	deliveries []deliveryRow
	refunded   map[uuid.UUID]bool // payins
	byRefund   map[uuid.UUID]bool // payouts

	report *report
}

type payoutRow struct {
	ID, MerchantID      uuid.UUID
	ReferenceID, Status string
	Network, Wallet     string
	Asset               string
	Amount, Debit       decimal.Decimal
	CreatedAt           time.Time
	Token               string
}

// chainRow is a transaction on a simulated network.
type chainRow struct {
	Network, Txid, Token, State string
	RecipientMatch              string
	Memo                        string
	Amount                      decimal.Decimal
	Nonce                       *int64
}

type payinRow struct {
	ID, MerchantID                      uuid.UUID
	ReferenceID, Status, Token, Network string
	Asset                               string
	WebhookURL                          string
	WalletID                            *uuid.UUID
	Amount, Received, MinimumPayment    decimal.Decimal
	ReversedAt                          *time.Time
	CreatedAt                           time.Time
}

type transferRow struct {
	Network, Txid, Token, Status string
	PayinID                      *uuid.UUID
	Amount, Credited             decimal.Decimal
	Credits                      int // how often it was credited; each credit but the standing one was reversed
}

type deliveryRow struct {
	ID, Subject uuid.UUID
	Seq         int64
	Event       string
	Status      string
}

// judge reads everything and reports every finding.
func (t *torture) judge(ctx context.Context) *report {
	e := &evidence{t: t, report: t.figures(), refunded: map[uuid.UUID]bool{}, byRefund: map[uuid.UUID]bool{}}
	if err := e.read(ctx); err != nil {
		e.wrong("the evidence can be read", err.Error())
		return e.report
	}
	for _, what := range t.late {
		e.wrong(fmt.Sprintf("all is done %v after the storm", t.drain), what)
	}
	e.judgeRefunds(ctx)
	e.judgeOrders()
	e.judgeFailures()
	e.judgeSent()
	e.judgeNonces(ctx)
	e.judgeMoves(ctx)
	e.judgePayins()
	e.judgeTransfers()
	e.judgeDeliveries()
	e.judgeBalances(ctx)
	e.judgeLedger(ctx)
	e.judgeReconcile(ctx)
	e.judgeLogs()
	e.t.soaked.judge(e.report)
	return e.report
}

func (e *evidence) read(ctx context.Context) error {
	if err := e.t.world.show(ctx); err != nil {
		return err
	}
	for into, query := range map[any]string{
		&e.payouts: `select id, merchant_id, reference_id, status, network, wallet, asset, amount, debit, created_at, token
			from payouts order by created_at, id`,
		&e.sent: `select network, txid, token, state, recipient_match, memo, amount, nonce from sandbox_transactions
			where nonce is not null and (recipient_match <> sender_match or amount = 0) and not exists (select from signed_transactions s
				where s.network = sandbox_transactions.network and s.txid = sandbox_transactions.txid and s.purpose not in ('pay', 'cancel'))
			order by network, seq`,
		&e.paid: `select network, txid, token, state, recipient_match, memo, amount, nonce from sandbox_transactions
			where ` + byCustomers + ` order by network, seq`,
		&e.payins: `select id, merchant_id, reference_id, status, token, network, asset, webhook_url, wallet_id, amount, received, minimum_payment,
			reversed_at, created_at from payins order by created_at, id`,
		&e.transfers:  "select network, txid, token, status, payin_id, amount, credited, credits from transfers where status <> 'treasury' order by seen_at, id",
		&e.deliveries: "select id, subject, seq, event, status from deliveries order by seq",
	} {
		if err := e.t.db.NewRaw(query).Scan(ctx, into); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	return nil
}

// wrong adds a finding to a check, with a few examples.
func (e *evidence) wrong(check, example string) { e.report.add(check, example) }

// shop returns the shop of a merchant.
func (e *evidence) shop(merchant uuid.UUID) *shop {
	for _, s := range e.t.shops {
		if s.id == merchant {
			return s
		}
	}
	return nil
}

// place is where a payment goes: the spelling of an address by which a network finds it.
func place(network, address string) string { return network + " " + addresses.Match(network, address) }
