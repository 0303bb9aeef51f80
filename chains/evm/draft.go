package evm

import (
	"fmt"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains"
	"causeway/chains/addresses"
)

// draft is a transaction of a wallet without nonce and signature.
type draft struct {
	sender  *Sender
	payment payment
	gas     uint64
	fees    fees
	beside  *big.Int // gas, on an OP chain: for its data and to its operator, in wei
	nonce   *uint64  // the only nonce it may have; nil for any
	spare   chains.Spare

	signing sync.Mutex
	signed  map[uint64]chains.Signed // the last, by its nonce: a signer elsewhere may sign the same with other bytes
}

// Spare returns the wallet's holdings beyond the payment when it was prepared.
func (d *draft) Spare() chains.Spare { return d.spare }

// Sign signs the draft for the number of a slot, its nonce: the same bytes every time. A replacement is only signed for the nonce it
// replaces.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	nonce := slot.Number
	if d.nonce != nil && *d.nonce != nonce {
		return chains.Signed{}, fmt.Errorf("sign: the replacement is for nonce %d, not %d", *d.nonce, nonce)
	}
	d.signing.Lock()
	defer d.signing.Unlock()
	if done, already := d.signed[nonce]; already {
		return done, nil
	}
	tx := d.transaction(nonce)
	signature, err := d.sender.keys.sign(d.payment.from, d.sender.signer.Hash(tx))
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	if tx, err = tx.WithSignature(d.sender.signer, signature); err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	done := chains.Signed{Txid: tx.Hash().Hex(), Raw: raw, Fee: d.sender.coin.amount(d.most())}
	d.signed = map[uint64]chains.Signed{nonce: done}
	return done, nil
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

// fit lowers the offer of a deposit address with a token to the coin that is there for it, if that is enough for the next block.
// The coin came by an offer of some time ago, and prices have moved since.
func (d *draft) fit(h *holding, m *market) error {
	if d.payment.from.branch != addresses.DepositBranch || d.payment.token.native {
		return nil
	}
	held, err := h.least(h.native)
	if err != nil {
		return err
	}
	price := new(big.Int).Sub(held, d.beside)
	d.fees = m.within(d.fees, price.Div(price, new(big.Int).SetUint64(d.gas)))
	return nil
}

// takeFees takes the fees out of the payment, where it is of all there is. If nothing is left, the error is a chains.Short.
func (d *draft) takeFees() error {
	if !d.payment.lessFees {
		return nil
	}
	rest := new(big.Int).Sub(d.payment.units, d.most())
	if rest.Sign() <= 0 {
		missing := new(big.Int).Sub(big.NewInt(1), rest)
		return &chains.Short{Token: d.sender.coin.symbol, Missing: d.sender.coin.amount(missing)}
	}
	d.payment.value = rest
	return nil
}

// most returns the highest possible cost of the transaction, in wei.
func (d *draft) most() *big.Int {
	cost := new(big.Int).Mul(new(big.Int).SetUint64(d.gas), d.fees.most)
	return cost.Add(cost, d.beside)
}
