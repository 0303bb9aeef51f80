package evm

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains"
)

// draft is a transaction of the hot wallet without nonce and signature.
type draft struct {
	sender  *Sender
	payment payment
	gas     uint64
	fees    fees
	beside  *big.Int // gas, on an OP chain: for its data and to its operator, in wei
	nonce   *uint64  // the only nonce it may have; nil for any
	spare   chains.Spare
}

// Spare returns the hot wallet's holdings beyond the payment when it was prepared.
func (d *draft) Spare() chains.Spare { return d.spare }

// Sign signs the draft for the number of a slot, its nonce: the same bytes every time. A replacement is only signed for the nonce it
// replaces.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	nonce := slot.Number
	if d.nonce != nil && *d.nonce != nonce {
		return chains.Signed{}, fmt.Errorf("sign: the replacement is for nonce %d, not %d", *d.nonce, nonce)
	}
	tx, err := types.SignTx(d.transaction(nonce), d.sender.signer, d.sender.key)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	return chains.Signed{Txid: tx.Hash().Hex(), Raw: raw, Fee: d.sender.coin.amount(d.most())}, nil
}

func (d *draft) transaction(nonce uint64) *types.Transaction {
	to := d.payment.to
	if d.sender.cfg.Legacy {
		return types.NewTx(&types.LegacyTx{
			Nonce: nonce, GasPrice: d.fees.most, Gas: d.gas, To: &to, Value: d.payment.value, Data: d.payment.data,
		})
	}
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: d.sender.chainID(), Nonce: nonce, GasTipCap: d.fees.tip, GasFeeCap: d.fees.most,
		Gas: d.gas, To: &to, Value: d.payment.value, Data: d.payment.data,
	})
}

// most returns the highest possible cost of the transaction, in wei.
func (d *draft) most() *big.Int {
	cost := new(big.Int).Mul(new(big.Int).SetUint64(d.gas), d.fees.most)
	return cost.Add(cost, d.beside)
}
