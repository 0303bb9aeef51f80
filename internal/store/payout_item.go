package store

import (
	"encoding/hex"
	"strconv"

	"github.com/shopspring/decimal"
)

// payoutLiteral writes items as a literal of payout_item[].
func payoutLiteral(items []PayoutItem) string {
	l := make(literal, 0, 640*len(items))
	l = append(l, '{')
	for i := range items {
		if i > 0 {
			l = append(l, ',')
		}
		if items[i].row == nil {
			l.item(&items[i])
		}
		l = append(l, items[i].row...)
	}
	return string(append(l, '}'))
}

// Encode writes the item as the database reads it, ahead of the call in which it goes with those of others: they would wait
// for it. The item does not change any more.
func (i *PayoutItem) Encode() {
	l := make(literal, 0, 640)
	l.item(i)
	i.row = l
}

// item writes the fields of an item in the order of the type.
func (l *literal) item(i *PayoutItem) {
	p := i.Payout
	*l = append(*l, `"(`...)
	l.plain(p.ID.String())
	l.plain(p.MerchantID.String())
	l.text(p.KeyID)
	l.text(p.ReferenceID)
	l.text(p.Wallet)
	l.optional(p.Memo)
	l.text(p.Token)
	l.text(p.Asset)
	l.text(p.Network)
	l.text(string(p.ProcessBy))
	l.plain(p.Amount.String())
	l.plain(p.Debit.String())
	l.plain(p.RateFee.String())
	l.plain(p.NetworkFee.String())
	l.plain(strconv.FormatBool(p.PaysNetworkFee))
	l.plain(strconv.FormatBool(p.FeeFromAmount))
	l.plain(p.PercentRate.String())
	l.text(p.FiatCurrency)
	l.number(orNil(p.FiatAmount))
	l.number(orNil(p.Price))
	l.optional(p.CustomerInfo)
	l.text(p.WebhookURL)
	l.text(`\x` + hex.EncodeToString(p.Seal))
	l.text(`\x` + hex.EncodeToString(i.HoldDigest))
	l.number(i.DailyLimit)
	l.number(i.USD)
	(*l)[len(*l)-1] = ')' // instead of the last comma
	*l = append(*l, '"')
}

// literal is the text of an array of rows: each row quoted, and the texts in it once more. A field that is left out is null.
type literal []byte

// plain writes what needs no quotes.
func (l *literal) plain(value string) { *l = append(append(*l, value...), ',') }

func (l *literal) text(value string) {
	out := append(*l, `\"`...)
	for i := range len(value) {
		switch c := value[i]; c {
		case '"':
			out = append(out, `\\\"`...)
		case '\\':
			out = append(out, `\\\\`...)
		default:
			out = append(out, c)
		}
	}
	*l = append(out, `\",`...)
}

func (l *literal) optional(value *string) {
	if value == nil {
		*l = append(*l, ',')
		return
	}
	l.text(*value)
}

func (l *literal) number(value *decimal.Decimal) {
	if value != nil {
		*l = append(*l, value.String()...)
	}
	*l = append(*l, ',')
}

func orNil(value decimal.NullDecimal) *decimal.Decimal {
	if !value.Valid {
		return nil
	}
	return &value.Decimal
}
