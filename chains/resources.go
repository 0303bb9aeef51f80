package chains

import "github.com/shopspring/decimal"

// Resources are what a hot wallet has beside its coin to pay for transactions, such as energy out of a stake.
type Resources struct {
	Name     string        `json:"name"`
	Limit    int64         `json:"limit"` // when nothing of it is used
	Left     int64         `json:"left"`
	Payments []PaymentCost `json:"payments"`
}

// PaymentCost is what one payment of a token takes.
type PaymentCost struct {
	Token    string          `json:"token"`
	Takes    int64           `json:"takes"`     // of the resource
	Costs    decimal.Decimal `json:"costs"`     // in the native coin, where nothing of the resource is left
	CostsNow decimal.Decimal `json:"costs_now"` // with what is left
}
