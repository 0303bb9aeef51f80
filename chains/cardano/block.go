package cardano

import (
	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/cardano/client"
)

// parsedBlock is a block as the follower needs it.
type parsedBlock struct {
	point  client.Point
	height int64
	block  chains.Block
	txs    []parsedTx
}

// parsedTx is a transaction that has spent its inputs.
type parsedTx struct {
	id  hash
	fee int64
}

// parse reads a block, which has to be on top of the one before.
func (h *history) parse(told *client.Block, height int64, before client.Point) (*parsedBlock, error) {
	if _, ok := hashOf(told.ID); !ok || told.Height == nil || *told.Height != height || told.Slot == nil || *told.Slot < before.Slot {
		return nil, odd("block %d is not the one asked for", height)
	}
	if before.ID != "" && told.Ancestor != before.ID {
		return nil, odd("block %d is not on top of block %s", height, before.ID)
	}
	b := &parsedBlock{point: client.Point{Slot: *told.Slot, ID: told.ID}, height: height}
	b.block = chains.Block{Height: height, Hash: hashOfPoint(b.point), Parent: hashOfPoint(before), Time: h.clock.at(*told.Slot)}
	for i := range told.Transactions {
		if err := carry(b, &told.Transactions[i]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// carry adds what a transaction spends and pays. Where its script has failed, it spends its collateral alone, and what returns of that is the
// output after those that it names.
func carry(b *parsedBlock, told *client.Transaction) error {
	id, ok := hashOf(told.ID)
	if !ok {
		return odd("a transaction of block %d without its id", b.height)
	}
	spent, first, paid := told.Inputs, 0, told.Outputs
	switch told.Spends {
	case "inputs":
		fee, ok := told.Fee.Lovelace()
		if !ok {
			return odd("transaction %s without its fee", told.ID)
		}
		b.txs = append(b.txs, parsedTx{id, fee})
	case "collaterals":
		spent, first, paid = told.Collaterals, len(told.Outputs), nil
		if told.CollateralReturn != nil {
			paid = []client.Output{*told.CollateralReturn}
		}
	default:
		return odd("transaction %s does not say what it spends", told.ID)
	}
	for _, in := range spent {
		if _, ok := hashOf(in.Transaction.ID); !ok {
			return odd("transaction %s spends nothing that has a name", told.ID)
		}
		b.block.Spent = append(b.block.Spent, chains.Spending{Coin: chains.CoinID(in.Transaction.ID, int(in.Index)), Txid: told.ID})
	}
	for i, o := range paid {
		units, ok := o.Value.Lovelace()
		if !ok {
			return odd("output %d of %s is no amount", first+i, told.ID)
		}
		if units > 0 {
			plain, _ := addresses.CardanoPlain(o.Address)
			b.block.Transfers = append(b.block.Transfers, chains.Transfer{Txid: told.ID, Token: coin, Position: first + i, To: addresses.Match(Network, o.Address), Plain: plain,
				Amount: amountOf(units), Mixed: o.Value.Tokens()})
		}
	}
	return nil
}
