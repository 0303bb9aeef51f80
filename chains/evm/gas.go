package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// plainGas is the gas of a transfer of the native coin to a plain account, always.
const plainGas = 21000

// gas returns the gas limit of a payment after its trial: a fifth more than the trial took, unless that was plainGas, and never
// above the operator's bound.
func (s *Sender) gas(ctx context.Context, t *trial) (uint64, error) {
	if err := s.lend(ctx, t); err != nil {
		return 0, err
	}
	takes, err := t.takes()
	most := s.mostGas(t.payment)
	switch {
	case client.IsClass(err, client.Exhausted):
		return 0, s.tooMuchFor(ctx, t.payment, "more gas than the node gives to a trial")
	case err != nil:
		return 0, err
	case takes > most:
		return 0, s.tooMuchFor(ctx, t.payment, overBound(takes, most))
	case takes == plainGas:
		return takes, nil
	default:
		return min(takes+takes/5, most), nil
	}
}

func (s *Sender) mostGas(p payment) uint64 {
	if p.token.native {
		return s.cfg.MaxGas
	}
	return s.cfg.MaxTokenGas
}

// tooMuchFor tells who causes a payment to take too much gas. Code at the payee may do anything, and cannot be paid. Without
// code it is the token or the network (the gas may include its price of data), and the payout waits.
func (s *Sender) tooMuchFor(ctx context.Context, p payment, takes string) error {
	var code hexutil.Bytes
	if err := s.node.Call(ctx, &code, "eth_getCode", p.payee, "latest"); err != nil {
		return err
	}
	if len(code) == 0 {
		return tooMuch(takes)
	}
	return fmt.Errorf("%w: the recipient is a contract, and paying it takes %s", chains.ErrUnpayable, takes)
}

func tooMuch(takes string) error { return fmt.Errorf("%w: paying takes %s", chains.ErrDown, takes) }

func overBound(takes, most uint64) string {
	return fmt.Sprintf("%d gas, over the bound of %d", takes, most)
}
