package pay

import (
	"slices"

	"github.com/shopspring/decimal"
)

// MostShown is how many transfers of a payin are named at most, in records, webhooks and pages (addendum §8): anybody may send any number
// of them to its address.
const MostShown = 500

// PayinTransfers are the transfers of a payin.
type PayinTransfers struct {
	Shown []Transfer     // all; of more than MostShown the largest of each kind (addendum §8). Oldest first
	Rest  OtherTransfers // the sums of the others
}

// OtherTransfers are the sums of the transfers not shown.
type OtherTransfers struct {
	Credited    int             // number with a credit not yet final
	Final       int             // number with a final credit
	Counted     decimal.Decimal // by both, in the payin's token
	Weight      decimal.Decimal // of both, towards completing the payin
	Late        bool            // some of both came after the payin's time,
	Worth       decimal.Decimal // their worth in its fiat,
	Unpriced    bool            // and of some of these no price told
	RateFee     decimal.Decimal // of both, as far as they are in the payin's token
	NetworkFee  decimal.Decimal // likewise
	Seen        int             // number not credited yet
	Coming      decimal.Decimal // their amounts, as far as they are in the payin's token
	OtherTokens int             // number of them in other tokens
}

// Omitted returns how many credited transfers are not shown.
func (o *OtherTransfers) Omitted() int { return o.Credited + o.Final }

// Paid reports whether some transfer is on the balance.
func (t *PayinTransfers) Paid() bool {
	return t.Rest.Omitted() > 0 || slices.ContainsFunc(t.Shown, func(t Transfer) bool { return t.OnBalance() })
}

// Final reports whether some transfer is credited, and every credit is final.
func (t *PayinTransfers) Final() bool {
	return t.Paid() && t.Rest.Credited == 0 && !slices.ContainsFunc(t.Shown, func(t Transfer) bool { return t.Status == TransferCredited })
}

// Counted sums the credits of the payin, in its token.
func (t *PayinTransfers) Counted() decimal.Decimal {
	sum := t.Rest.Counted
	for i := range t.Shown {
		if t.Shown[i].OnBalance() {
			sum = sum.Add(t.Shown[i].Counted)
		}
	}
	return sum
}

// Weight sums the weights of the transfers towards completing the payin, in its token.
func (t *PayinTransfers) Weight() decimal.Decimal {
	sum := t.Rest.Weight
	for i := range t.Shown {
		if t.Shown[i].OnBalance() {
			sum = sum.Add(t.Shown[i].Weighs())
		}
	}
	return sum
}

// Late reports whether a credited transfer came after the payin's time. It also returns the worth of all such transfers in the
// payin's fiat when they were credited; nothing if any of them had no price.
func (t *PayinTransfers) Late(p *Payin) (late bool, worth decimal.NullDecimal) {
	late, known := t.Rest.Late, !t.Rest.Unpriced
	sum := t.Rest.Worth
	for i := range t.Shown {
		if one := &t.Shown[i]; one.OnBalance() && p.Late(one) {
			late, known, sum = true, known && one.Worth.Valid, sum.Add(one.Worth.Decimal)
		}
	}
	return late, decimal.NullDecimal{Decimal: sum, Valid: late && known}
}

// Detected sums the transfers seen in the payin's token, credited or not, and the counted amounts of other credited tokens.
func (t *PayinTransfers) Detected(token string) decimal.Decimal {
	sum := t.Counted().Add(t.Rest.Coming)
	for i := range t.Shown {
		if t.Shown[i].Status == TransferSeen && t.Shown[i].Token == token {
			sum = sum.Add(t.Shown[i].Amount)
		}
	}
	return sum
}
