package chains

import "github.com/shopspring/decimal"

// Cap limits a signer's payouts in one token on one network: for one payout, within an hour, within a day. Nil is no cap.
type Cap struct {
	Payout *decimal.Decimal `yaml:"payout"`
	Hour   *decimal.Decimal `yaml:"hour"`
	Day    *decimal.Decimal `yaml:"day"`
}

// Positive reports whether there is a cap, and every one is above zero.
func (c Cap) Positive() bool {
	given := 0
	for _, most := range []*decimal.Decimal{c.Payout, c.Hour, c.Day} {
		if most == nil {
			continue
		}
		if given++; !most.IsPositive() {
			return false
		}
	}
	return given > 0
}
