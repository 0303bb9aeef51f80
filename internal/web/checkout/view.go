package checkout

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// state is the state of a payment, as its payer sees it.
type state string

// The states of the page.
const (
	waiting  state = "waiting"
	seen     state = "seen"    // enough is on its way
	partial  state = "partial" // something has arrived or is on its way, and something is missing
	paid     state = "paid"
	overpaid state = "overpaid"
	expired  state = "expired"
	reversed state = "reversed"
)

// view is the content of a page, before it is put into a language.
type view struct {
	ID        uuid.UUID
	State     state
	Merchant  string
	Look      pay.Look
	Order     string // the merchant's reference
	Back      string // the shop's page, or ""
	Request   string // the payment request that it was chosen for, or ""
	Network   string // as wallets name it
	Token     string
	Wallet    string
	Memo      string
	MemoWord  string // "memo" or "tag"
	Amount    string
	Fiat      string // "25.00", or ""
	FiatCode  string
	Received  string // "" when nothing is credited
	Missing   string // still to be sent; "" when nothing is
	Over      string // credited beyond the amount; "" when nothing is
	URI       string
	HasURI    bool   // URI is more than the plain address
	Rule      string // safe, finalized or confirmations: when it counts
	Needs     int    // confirmations, as Rule says them
	Payments  []payment
	More      int  // further transfers, not named in Payments
	Late      bool // something came after expiry and waits for confirmations
	Lapsed    bool // enough came, but after expiry, when the quote of the fiat amount held no longer
	Mixed     bool // something in another token is on its way, and its amount in Token is not known yet
	Simulated bool
	Payable   bool // the page can pay it itself: a simulated network, where this process may
	Settled   bool // nothing will change any more, as far as one can tell
	Created   time.Time
	Expires   time.Time
	Updated   time.Time
	Left      int64 // seconds until expiry

	network string // canonical name
	coming  bool   // some of More is not credited
	version string // equal for views showing the same
}

// payment is one transfer already seen.
type payment struct {
	Token, Amount, Txid string
	Link                string // the transaction in an explorer, or ""
	Counts              string // counted in the payin's token, where its own is another
	Confirmations       int64
	Required            int64
	Credited            bool
	At                  time.Time
}

// settledAfter is how long after its expiry a page is still kept up to date for late payments.
const settledAfter = time.Hour

// viewOf decides the content of a page.
func viewOf(p *store.PayerPayin, transfers *pay.PayinTransfers, heads map[string]int64, networks func(string) Network) *view {
	n := networks(p.Network)
	v := &view{
		ID: p.ID, Merchant: p.Merchant, Look: pay.Look{Logo: p.Logo, Colour: p.Colour, Support: p.Support, Sites: p.Sites}, Order: p.ReferenceID, Back: p.ReturnURL, Token: p.Token, Wallet: p.Wallet, MemoWord: memoWord(p.Network),
		Network: networkName(p.Network, p.Contract, n.Called), network: p.Network,
		Amount: p.Amount.String(), Simulated: n.Simulated,
		Created: p.CreatedAt.UTC(), Expires: p.ExpiresAt.UTC(), Updated: p.UpdatedAt.UTC(),
		Rule: ruleWords(p.CreditAfter), Needs: p.CreditAfter.Confirmations(n.Credit),
		Left: max(0, int64(p.ExpiresAt.Sub(p.Now)/time.Second)),
	}
	if p.Memo != nil {
		v.Memo = *p.Memo
	}
	if p.RequestID != nil {
		v.Request = p.RequestID.String()
	}
	if p.FiatAmount.Valid && p.FiatCurrency != "" {
		v.Fiat, v.FiatCode = fiatText(p.FiatAmount.Decimal, p.FiatCurrency), p.FiatCurrency
	}
	rest := &transfers.Rest
	v.More = rest.Omitted() + rest.Seen
	coming, open := pricing.Cut(rest.Coming, p.Precision), rest.Credited+rest.Seen > 0
	v.Mixed, v.coming = rest.OtherTokens > 0, rest.Seen > 0
	for i := range transfers.Shown {
		t := &transfers.Shown[i]
		if t.Status != pay.TransferSeen && !t.OnBalance() {
			continue
		}
		v.Payments = append(v.Payments, paymentOf(p, t, heads[t.Network], networks(t.Network)))
		open = open || t.Status != pay.TransferFinal
		if t.Status == pay.TransferSeen && t.Token == p.Token {
			coming = coming.Add(pricing.Cut(t.Amount, p.Precision)) // as it will be credited
		}
		v.Mixed = v.Mixed || t.Status == pay.TransferSeen && t.Token != p.Token
	}
	v.amounts(p, coming)
	v.Mixed = v.Mixed && v.Missing != ""
	v.State = v.stateOf(p)
	v.Late = v.State == expired && v.unconfirmed()
	v.Lapsed = v.State == expired && v.Fiat != "" && enough(p, p.Received) && !enough(p, transfers.Weight())
	v.Settled = !open && (p.Status == pay.PayinCompleted || p.Status == pay.PayinFailed && p.Now.Sub(p.ExpiresAt) > settledAfter)
	v.address(p, n)
	return v
}

// ruleWords names the words for the rule a payin counts by.
func ruleWords(d pay.CreditDepth) string {
	switch d {
	case pay.CreditAtSafe:
		return "safe"
	case pay.CreditAtFinalized:
		return "finalized"
	default:
		return "confirmations"
	}
}

func paymentOf(p *store.PayerPayin, t *pay.Transfer, head int64, n Network) payment {
	out := payment{Token: t.Token, Amount: t.Amount.String(), Txid: t.Txid, Link: n.explain(t.Txid), Required: int64(t.CreditAfter.Confirmations(n.Credit)), At: t.SeenAt.UTC(),
		Credited: t.Status != pay.TransferSeen}
	if t.Height != nil {
		out.Confirmations = min(max(0, head-*t.Height+1), out.Required)
	}
	if out.Credited && t.Token != p.Token {
		out.Counts = t.Counted.String()
	}
	return out
}

// amounts sets the amounts received, missing and too much; coming is seen and not credited.
func (v *view) amounts(p *store.PayerPayin, coming decimal.Decimal) {
	if p.Received.IsPositive() {
		v.Received = p.Received.String()
	}
	if over := p.Received.Sub(p.Amount); over.IsPositive() {
		v.Over = over.String()
	}
	if !enough(p, p.Received.Add(coming)) {
		v.Missing = pricing.Raise(p.Amount.Sub(p.Received).Sub(coming), p.Precision).String() // another network may have credited finer
	}
}

// enough reports whether so much completes the payin.
func enough(p *store.PayerPayin, received decimal.Decimal) bool {
	return (&pay.Payin{Amount: p.Amount, MinimumPayment: p.MinimumPayment, Received: received}).Enough()
}

func (v *view) stateOf(p *store.PayerPayin) state {
	switch {
	case p.Status == pay.PayinCompleted && v.Over != "":
		return overpaid
	case p.Status == pay.PayinCompleted:
		return paid
	case p.Status == pay.PayinReversed:
		return reversed
	case p.Status == pay.PayinFailed, v.Left == 0 && !v.unconfirmed(): // the job that fails it comes within a second
		return expired
	case len(v.Payments) == 0 && v.Received == "":
		return waiting
	case v.Missing == "" || v.Mixed: // asked for more meanwhile, the payer would pay it twice
		return seen
	default:
		return partial
	}
}

func (v *view) unconfirmed() bool {
	return v.coming || slices.ContainsFunc(v.Payments, func(p payment) bool { return !p.Credited })
}

// address writes the payment URI of the missing amount.
func (v *view) address(p *store.PayerPayin, n Network) {
	asked := chains.Payment{To: p.Wallet, Memo: v.Memo, Token: chains.Token{Symbol: p.Token, Contract: p.Contract, Decimals: int(p.Decimals)}}
	if token, said := n.Tokens[p.Token]; said {
		asked.Token = token
	}
	if v.Missing != "" {
		asked.Amount = decimal.RequireFromString(v.Missing)
	}
	v.URI, v.HasURI = p.Wallet, false
	if n.URI != nil {
		v.URI, v.HasURI = n.URI(asked)
	}
}

// Open reports whether the payer is to send something.
func (v *view) Open() bool {
	return v.Missing != "" && (v.State == waiting || v.State == partial)
}
