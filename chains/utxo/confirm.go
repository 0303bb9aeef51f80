package utxo

import (
	"context"
	"fmt"
)

// confirm checks coins against the transactions that have made them. A signature may not say how much a coin is: if the books said too
// little, the rest would be a fee. It asks the node, which cannot lie about a transaction whose id is computed.
func (s *Sender) confirm(coins []held) error {
	ctx, cancel := context.WithTimeout(s.open, s.cfg.Timeout)
	defer cancel()
	ins := make([]input, len(coins))
	for i, h := range coins {
		ins[i] = input{from: h.place.from, vout: h.place.vout}
	}
	made, err := s.made(ctx, ins)
	if err != nil {
		return fmt.Errorf("what the coins are: %w", err)
	}
	for _, h := range coins {
		switch o := made[h.place]; {
		case o.units != h.units:
			return fmt.Errorf("coin %s is %s, and the books say %s", h.place.id(), amountOf(o.units), amountOf(h.units))
		case string(o.script) != h.script:
			return fmt.Errorf("coin %s lies at another address than the books say", h.place.id())
		}
	}
	return nil
}
