package workers

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/ledger"
	"causeway/pay"
	"causeway/pricing"
	"causeway/store"
)

// leastWalletFiat is the worth below which transfers to fixed wallets make no payin (api-v1 §Limits).
var leastWalletFiat = decimal.RequireFromString("0.01")

// assign finds the payin that a new transfer belongs to. A transfer to a fixed wallet makes a payin of its own. What
// nobody may have stays without a payin, with the reason, for the operator (addendum §8).
func (w *Workers) assign(ctx context.Context, tx *store.Store, cat *tokenTable, a arrival, t *pay.Transfer) error {
	token := cat.token(t.Token, t.Network)
	if taken, err := accepted(ctx, tx, token, a.address, t); err != nil || !taken {
		setReason(t, "the token is not accepted")
		return err
	}
	if !pricing.Cut(t.Amount, token.Precision).IsPositive() {
		setReason(t, "the amount is below the ledger's precision")
		return nil
	}
	if t.Amount.GreaterThan(ledger.MaxTransfer) {
		setReason(t, "the amount is above all that the ledger takes")
		return nil
	}
	if a.address.PayinID != nil {
		t.PayinID = a.address.PayinID
		return nil
	}
	wallet, err := tx.WalletForUpdate(ctx, *a.address.WalletID)
	if err != nil {
		return err
	}
	if wallet.Status != pay.WalletAssigned {
		setReason(t, "the fixed wallet is revoked")
		return nil
	}
	return w.walletPayin(ctx, tx, wallet, cat, token, t)
}

// walletPayin makes the payin of a transfer to a fixed wallet (api-v1 §Events rule 2).
func (w *Workers) walletPayin(ctx context.Context, tx *store.Store, wallet *pay.Wallet, cat *tokenTable, token *pay.Token, t *pay.Transfer) error {
	m, err := tx.Merchant(ctx, wallet.MerchantID)
	if err != nil {
		return err
	}
	overrides, err := tx.NetworkTerms(ctx, m.ID)
	if err != nil {
		return err
	}
	now, err := tx.Now(ctx) // what is due is due by the database's clock
	if err != nil {
		return err
	}
	p := &pay.Payin{
		ID: uuid.Must(uuid.NewV7()), MerchantID: m.ID, WalletID: &wallet.ID, Wallet: wallet.Wallet, CustomerInfo: &wallet.CustomerInfo,
		Token: t.Token, Asset: token.BalanceKey, Network: t.Network, Status: pay.PayinPending, ExpiresAt: now.Add(24 * time.Hour),
		ProcessBy: pay.ByCrypto, Amount: pricing.Cut(t.Amount, token.Precision),
		MinimumPayment: decimal.NewFromInt(100), FiatCurrency: pay.FiatOf(m, cat.fiats), WebhookURL: m.WalletsWebhook,
	}
	p.ReferenceID = p.ID.String()
	if !setFiatWorth(p, cat) {
		setReason(t, worthless+p.FiatCurrency)
		if !t.Amount.LessThan(leastBelievable(token)) {
			setReason(t, "a price makes this worth less than 0.01 "+p.FiatCurrency+", which is hard to believe of so much")
		}
		return nil
	}
	charge(p, wallet, cat, token, m.On(t.Network, overrides))
	if _, err := tx.AddPayin(ctx, p, nil); err != nil {
		return err
	}
	t.PayinID = &p.ID
	return tx.TouchWallet(ctx, wallet.ID)
}

// worthless begins the reason of a transfer to a fixed wallet that is too little for a payin: nobody is asked about it.
const worthless = "the transfer is worth less than 0.01 "

// setFiatWorth notes what a payin is worth in its fiat, where there is a price; false when that is too little for a payin.
func setFiatWorth(p *pay.Payin, cat *tokenTable) bool {
	quote, ok := cat.rates.Price(p.Token, p.FiatCurrency)
	if !ok {
		return true
	}
	p.Price, p.FiatAmount = decimal.NewNullDecimal(quote.Price), decimal.NewNullDecimal(quote.Worth(p.Amount))
	return !p.FiatAmount.Decimal.LessThan(leastWalletFiat)
}

// leastBelievable is how much of a token is too much to be worth nothing, whatever a price says: the least that a payin or a payout of it
// may ask for. Where neither has a least amount it is one.
func leastBelievable(token *pay.Token) decimal.Decimal {
	low, high := token.MinReceipt, token.MinWithdrawal
	if high.LessThan(low) {
		low, high = high, low
	}
	switch {
	case low.IsPositive():
		return low
	case high.IsPositive():
		return high
	default:
		return decimal.NewFromInt(1)
	}
}

// charge sets the rate and the network fee of a fixed wallet's payin.
func charge(p *pay.Payin, wallet *pay.Wallet, cat *tokenTable, token *pay.Token, terms pay.Terms) {
	paysFee := terms.PaysReceiptNetworkFee
	p.PercentRate = terms.ReceiptRate
	if wallet.Origin != pay.OriginAPI {
		p.PercentRate, paysFee = terms.DepositRate, terms.PaysDepositNetworkFee
	}
	if p.PaysNetworkFee = paysFee; paysFee {
		p.NetworkFee, _ = cat.rates.FeeIn(token) // nothing is taken where no price tells how much
	}
}

// accepted reports whether a token is taken at an address now. A payin goes on taking the very token on the very network
// that it asks for, also when deposits have been switched off since (addendum §13).
func accepted(ctx context.Context, tx *store.Store, token *pay.Token, a *pay.Address, t *pay.Transfer) (bool, error) {
	switch {
	case token == nil || !token.Active:
		return false, nil
	case token.Deposits:
		return true, nil
	case a.PayinID == nil:
		return false, nil
	}
	p, err := tx.Payin(ctx, *a.PayinID)
	if err != nil {
		return false, err
	}
	return p.Token == t.Token && p.Network == t.Network, nil
}

// setReason notes why a transfer has no payin, or counts for nothing.
func setReason(t *pay.Transfer, reason string) { t.Reason = &reason }
