package follow

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/catalogue"
)

// leastWalletFiat is the worth below which transfers to fixed wallets make no payin (api-v1 §Limits).
var leastWalletFiat = decimal.RequireFromString("0.01")

// newcomer is a transfer seen by a step for the first time or again, with its arrival.
type newcomer struct {
	arrival
	transfer *pay.Transfer
	isNew    bool // it was never seen before
}

// owners are the possible owners of a step's newcomers, read once for all of them: anybody may send any number of transfers to an
// address of ours, and a step's time is limited.
type owners struct {
	cat       *catalogue.Table
	wallets   map[uuid.UUID]*pay.Wallet // locked
	merchants map[uuid.UUID]*pay.Merchant
	terms     map[uuid.UUID][]pay.NetworkTerms // by merchant
	asking    map[uuid.UUID]*pay.Payin         // payins that may take a token not accepted any more
	now       time.Time                        // by the database's clock, as everything due

	made []*pay.Payin // of transfers to fixed wallets
}

// assign finds the payins of new transfers. A transfer to a fixed wallet makes a payin of its own. A transfer that belongs to nobody
// stays without a payin, with the reason, for the operator (addendum §8).
func assign(ctx context.Context, tx *store.Store, at *chains.Network, cat *catalogue.Table, all []newcomer) error {
	o := &owners{cat: cat}
	if err := o.read(ctx, tx, all); err != nil {
		return err
	}
	for _, n := range all {
		if n.transfer.PayinID == nil && n.address != nil {
			o.assign(n.address, n.transfer)
		}
	}
	o.creditEarly(&at.Rule, all)
	if err := tx.AddPayins(ctx, o.made); err != nil {
		return err
	}
	return tx.TouchWallets(ctx, store.InOrder(o.reached(all)))
}

// reached returns the fixed wallets with new transfers, also with transfers that make no payin: the sender uses the address.
func (o *owners) reached(all []newcomer) map[uuid.UUID]bool {
	out := map[uuid.UUID]bool{}
	for _, n := range all {
		if n.address == nil || n.address.WalletID == nil {
			continue
		}
		if wallet := o.wallets[*n.address.WalletID]; wallet != nil && wallet.Status == pay.WalletAssigned {
			out[wallet.ID] = true
		}
	}
	return out
}

// read reads the owners of the addresses, as far as they decide about the transfers.
func (o *owners) read(ctx context.Context, tx *store.Store, all []newcomer) (err error) {
	asking, wallets, merchants := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, n := range all {
		token := o.cat.Token(n.transfer.Token, n.transfer.Network)
		switch {
		case n.transfer.PayinID != nil || n.address == nil:
		case n.address.PayinID == nil:
			wallets[*n.address.WalletID] = true
		case token != nil && token.Active && !token.Deposits:
			asking[*n.address.PayinID] = true
		}
	}
	if o.asking, err = tx.PayinsOf(ctx, store.InOrder(asking)); err != nil || len(wallets) == 0 {
		return err
	}
	if o.wallets, err = tx.WalletsForUpdate(ctx, store.InOrder(wallets)); err != nil {
		return err
	}
	for _, wallet := range o.wallets {
		merchants[wallet.MerchantID] = true
	}
	if o.merchants, err = tx.Merchants(ctx, store.InOrder(merchants)); err != nil {
		return err
	}
	if o.terms, err = tx.NetworkTermsOf(ctx, store.InOrder(merchants)); err != nil {
		return err
	}
	o.now, err = tx.Now(ctx)
	return err
}

// assign finds the payin of one transfer to an address.
func (o *owners) assign(a *pay.Address, t *pay.Transfer) {
	token := o.cat.Token(t.Token, t.Network)
	switch {
	case !o.accepted(token, a, t):
		setReason(t, "the token is not accepted")
	case !pricing.Cut(t.Amount, token.Precision).IsPositive():
		setReason(t, "the amount is below the ledger's precision")
	case t.Amount.GreaterThan(ledger.MaxTransfer):
		setReason(t, "the amount is above all that the ledger takes")
	case a.PayinID != nil:
		t.PayinID = a.PayinID
	case o.wallets[*a.WalletID].Status != pay.WalletAssigned:
		setReason(t, "the fixed wallet is revoked")
	default:
		o.walletPayin(o.wallets[*a.WalletID], token, t)
	}
}

// walletPayin makes the payin of a transfer to a fixed wallet (api-v1 §Events rule 2).
func (o *owners) walletPayin(wallet *pay.Wallet, token *pay.Token, t *pay.Transfer) {
	m := o.merchants[wallet.MerchantID]
	p := &pay.Payin{
		ID: uuid.Must(uuid.NewV7()), MerchantID: m.ID, WalletID: &wallet.ID, Wallet: wallet.Wallet, CustomerInfo: &wallet.CustomerInfo,
		Token: t.Token, Asset: token.BalanceKey, Network: t.Network, Status: pay.PayinPending, ExpiresAt: o.now.Add(24 * time.Hour),
		ProcessBy: pay.ByCrypto, Amount: pricing.Cut(t.Amount, token.Precision),
		MinimumPayment: decimal.NewFromInt(100), FiatCurrency: pay.FiatOf(m, o.cat.Fiats), WebhookURL: m.WalletsWebhook,
	}
	p.ReferenceID = p.ID.String()
	if wallet.Origin != pay.OriginAPI {
		p.KeyID = pay.PanelKey("") // the API lists and checks nothing of the panel, and no webhook tells of it
	}
	if !setFiatWorth(p, o.cat) {
		setReason(t, worthless+p.FiatCurrency)
		if !t.Amount.LessThan(leastBelievable(token)) {
			setReason(t, "a price makes this worth less than 0.01 "+p.FiatCurrency+", which is hard to believe of so much")
		}
		return
	}
	charge(p, wallet, o.cat, token, m.On(t.Network, o.terms[m.ID]))
	o.made = append(o.made, p)
	t.PayinID = &p.ID
}

// worthless begins the reason of a transfer to a fixed wallet too small for a payin: nobody is asked about it.
const worthless = "the transfer is worth less than 0.01 "

// setFiatWorth notes a payin's worth in its fiat, where there is a price; false when the worth is too little for a payin.
func setFiatWorth(p *pay.Payin, cat *catalogue.Table) bool {
	quote, ok := cat.Rates.Price(p.Token, p.FiatCurrency)
	if !ok {
		return true
	}
	p.Price, p.FiatAmount = decimal.NewNullDecimal(quote.Price), decimal.NewNullDecimal(quote.Worth(p.Amount))
	return !p.FiatAmount.Decimal.LessThan(leastWalletFiat)
}

// leastBelievable is the amount of a token too large to be worth nothing, whatever a price says: the least that a payin or a payout
// of it may ask for. Where neither has a least amount it is one.
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
func charge(p *pay.Payin, wallet *pay.Wallet, cat *catalogue.Table, token *pay.Token, terms pay.Terms) {
	paysFee := terms.PaysReceiptNetworkFee
	p.PercentRate = terms.ReceiptRate
	if wallet.Origin != pay.OriginAPI {
		p.PercentRate, paysFee = terms.DepositRate, terms.PaysDepositNetworkFee
	}
	if p.PaysNetworkFee = paysFee; paysFee {
		p.NetworkFee, _ = cat.Rates.FeeIn(token) // nothing is taken where no price tells how much
	}
}

// accepted reports whether a token is taken at an address now. A payin goes on taking the very token asked for on its network, also
// when deposits have been switched off since (addendum §13).
func (o *owners) accepted(token *pay.Token, a *pay.Address, t *pay.Transfer) bool {
	switch {
	case token == nil || !token.Active:
		return false
	case token.Deposits:
		return true
	case a.PayinID == nil:
		return false
	}
	p := o.asking[*a.PayinID]
	return p.Token == t.Token && p.Network == t.Network
}

// setReason notes why a transfer has no payin, or counts for nothing.
func setReason(t *pay.Transfer, reason string) { t.Reason = &reason }
