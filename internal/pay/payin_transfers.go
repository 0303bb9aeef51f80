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
	Rest  OtherTransfers // what the others come to
}

// OtherTransfers is what transfers that are not shown come to.
type OtherTransfers struct {
	Credited    int             // those whose credit is not final
	Final       int             // those whose credit is
	Counted     decimal.Decimal // by both, in the payin's token
	Weight      decimal.Decimal // of both, towards completing the payin
	Late        bool            // some of both came after the payin's time,
	Worth       decimal.Decimal // which were worth so much in its fiat,
	Unpriced    bool            // and of some of these no price told
	RateFee     decimal.Decimal // of those of both that are in the payin's token
	NetworkFee  decimal.Decimal // likewise
	Seen        int             // those that are not credited yet
	Coming      decimal.Decimal // the amounts of those of them that are in the payin's token
	OtherTokens int             // those of them that are not
}

// Omitted returns how many credited transfers are not shown.
func (o *OtherTransfers) Omitted() int { return o.Credited + o.Final }

// Paid reports whether some transfer is on the balance.
func (t *PayinTransfers) Paid() bool {
	return t.Rest.Omitted() > 0 || slices.ContainsFunc(t.Shown, func(t Transfer) bool { return t.OnBalance() })
}

// Final reports whether something is credited, and all that is credited is final.
func (t *PayinTransfers) Final() bool {
	return t.Paid() && t.Rest.Credited == 0 && !slices.ContainsFunc(t.Shown, func(t Transfer) bool { return t.Status == TransferCredited })
}

// Counted sums what the payin has received, in its token.
func (t *PayinTransfers) Counted() decimal.Decimal {
	sum := t.Rest.Counted
	for i := range t.Shown {
		if t.Shown[i].OnBalance() {
			sum = sum.Add(t.Shown[i].Counted)
		}
	}
	return sum
}

// Weight sums what the transfers count towards completing the payin, in its token.
func (t *PayinTransfers) Weight() decimal.Decimal {
	sum := t.Rest.Weight
	for i := range t.Shown {
		if t.Shown[i].OnBalance() {
			sum = sum.Add(t.Shown[i].Weighs())
		}
	}
	return sum
}

// Late reports whether something is credited that came after the payin's time, and what all of that was worth in the payin's fiat when
// it was credited; nothing if no price told of a part.
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

// Detected sums what was seen in the payin's token, credited or not, with what other credited tokens count in it.
func (t *PayinTransfers) Detected(token string) decimal.Decimal {
	sum := t.Counted().Add(t.Rest.Coming)
	for i := range t.Shown {
		if t.Shown[i].Status == TransferSeen && t.Shown[i].Token == token {
			sum = sum.Add(t.Shown[i].Amount)
		}
	}
	return sum
}
