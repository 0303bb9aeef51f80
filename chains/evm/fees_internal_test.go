package evm

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// An offer has headroom over the network's price, also on a legacy chain, and keeps within the operator's bounds: a tip is cut
// to its bound, whatever the node suggests.
//
// Covers operator §Settings: max_tip_gwei is
func TestOffersKeepWithinTheirBounds(t *testing.T) {
	t.Parallel()
	of := func(wei int64) *hexutil.Big { return (*hexutil.Big)(big.NewInt(wei)) }
	for name, c := range map[string]struct {
		legacy           bool
		base, tip, price int64
		offered, most    int64 // 0: the payout waits
	}{
		"a legacy price has a quarter more":    {legacy: true, price: 400, offered: 500, most: 500},
		"a legacy price up to the ceiling":     {legacy: true, price: 900, offered: 1000, most: 1000},
		"a legacy price over the ceiling":      {legacy: true, price: 1001},
		"a tip":                                {base: 100, tip: 30, price: 130, offered: 30, most: 230},
		"a tip over its bound":                 {base: 100, tip: 9000, price: 9100, offered: 50, most: 250},
		"no tip is suggested":                  {base: 100, tip: -1, price: 120, offered: 20, most: 220},
		"no tip, and a gas price over it":      {base: 100, tip: -1, price: 900, offered: 50, most: 250},
		"a base fee over the ceiling":          {base: 990, tip: 30, price: 1020},
		"twice the base fee is cut to ceiling": {base: 600, tip: 30, price: 630, offered: 30, most: 1000},
	} {
		m := &market{legacy: c.legacy, ceiling: big.NewInt(1000), most: big.NewInt(50), price: of(c.price), latest: &client.Header{BaseFee: (*client.Big)(of(c.base))}}
		if c.tip >= 0 {
			m.tip = of(c.tip)
		}
		f, err := m.offer()
		if c.most == 0 {
			if !errors.Is(err, chains.ErrDown) {
				t.Errorf("%s: %v, want ErrDown", name, err)
			}
			continue
		}
		if err != nil || f.tip.Int64() != c.offered || f.most.Int64() != c.most {
			t.Errorf("%s: %v %v, %v", name, f.tip, f.most, err)
		}
	}
}
