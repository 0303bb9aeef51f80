package follow

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// A payin's reversal has the amounts taken back by its network and not given again: balance key -> amount (api-v1 §Payin record). A
// reorganisation takes back everything above the fork and most of it is mined again, so the amounts are those of the transfers still
// gone.

// lose adds the amounts taken from a payin by a reorganisation.
func lose(p *pay.Payin, amounts map[string]decimal.Decimal, at time.Time) error {
	missing, err := p.TakenBack()
	if err != nil {
		return err
	}
	for asset, amount := range amounts {
		missing[asset] = missing[asset].Add(amount)
	}
	p.ReversedAt = &at
	return miss(p, missing)
}

// regain takes an amount credited again off the reversal.
func regain(p *pay.Payin, asset string, amount decimal.Decimal) error {
	if p.ReversedAt == nil {
		return nil
	}
	missing, err := p.TakenBack()
	if err != nil {
		return err
	}
	if left := missing[asset].Sub(amount); left.IsPositive() {
		missing[asset] = left
	} else {
		delete(missing, asset)
	}
	return miss(p, missing)
}

// wholeAgain reports whether a reversed payin has everything back.
func wholeAgain(p *pay.Payin) (bool, error) {
	missing, err := p.TakenBack()
	return p.ReversedAt != nil && len(missing) == 0, err
}

// forgive ends the reversal of a payin with everything back. A payin that never had enough returns to its former status: failed when
// its merchant was told so, else pending until its time is over.
func forgive(p *pay.Payin, failedBefore bool) {
	p.ReversedAt, p.Reversal = nil, nil
	if p.Status == pay.PayinReversed {
		p.Status = pay.PayinPending
		if failedBefore {
			p.Status = pay.PayinFailed
		}
	}
}

func miss(p *pay.Payin, missing map[string]decimal.Decimal) (err error) {
	if p.Reversal, err = json.Marshal(missing); err != nil {
		return fmt.Errorf("encode reversal: %w", err)
	}
	return nil
}
