package evm

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// multicall is the contract Multicall3. Each of the twelve networks has it at this address.
var multicall = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var (
	selectorAggregate3 = selector("aggregate3((address,bool,bytes)[])")
	selectorEthBalance = selector("getEthBalance(address)")
)

// coinsAtOnce is how many balances one call of Multicall3 asks for.
const coinsAtOnce = 200

// Misses reports whether native coin sent by contracts goes unseen: neither traces nor logs show it.
func (c *Connector) Misses() bool { return c.misses() }

// Coins returns each address's balance of the native coin at a height, by one call of Multicall3 for up to coinsAtOnce of them.
// If the chain lacks this contract, each address is asked about.
func (c *Connector) Coins(ctx context.Context, addresses []string, height int64) ([]decimal.Decimal, error) {
	if err := c.ready(ctx); err != nil {
		return nil, fmt.Errorf("coins: %w", err)
	}
	out := make([]decimal.Decimal, 0, len(addresses))
	for part := range slices.Chunk(addresses, coinsAtOnce) {
		units, err := c.aggregated(ctx, part, height)
		if err != nil {
			return nil, fmt.Errorf("coins at %d: %w", height, err)
		}
		if units == nil {
			return c.Holdings(ctx, c.coin.symbol, addresses, height)
		}
		for _, u := range units {
			out = append(out, c.coin.amount(u))
		}
	}
	return out, nil
}

// aggregated returns the balances of addresses, nil where there is no Multicall3.
func (c *Connector) aggregated(ctx context.Context, addresses []string, height int64) ([]*big.Int, error) {
	owners := make([]common.Address, len(addresses))
	for i, a := range addresses {
		if !common.IsHexAddress(a) {
			return nil, fmt.Errorf("%w: %q", chains.ErrFormat, a)
		}
		owners[i] = common.HexToAddress(a)
	}
	var answer hexutil.Bytes
	err := c.node.Call(ctx, &answer, "eth_call", callObject{To: &multicall, Data: balancesCall(owners)}, hexutil.EncodeUint64(uint64(max(height, 0))))
	switch {
	case client.IsClass(err, client.Reverted) || err == nil && len(answer) == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	units, ok := readBalances(answer, len(owners))
	if !ok {
		return nil, odd("balances by Multicall3 that are none")
	}
	return units, nil
}

// balancesCall asks Multicall3 for the balance of each owner, as an array of (address, allowFailure, bytes).
func balancesCall(owners []common.Address) []byte {
	number := func(n int) []byte { return word(big.NewInt(int64(n)).Bytes()) }
	const element = 6 * common.HashLength // target, flag, where the bytes are, their length, 36 bytes padded to two words
	data := append(bytes.Clone(selectorAggregate3), number(common.HashLength)...)
	data = append(data, number(len(owners))...)
	for i := range owners {
		data = append(data, number(len(owners)*common.HashLength+i*element)...)
	}
	for _, owner := range owners {
		data = append(data, word(multicall[:])...)
		data = append(data, number(0)...)
		data = append(data, number(3*common.HashLength)...)
		data = append(data, number(4+common.HashLength)...)
		call := append(bytes.Clone(selectorEthBalance), word(owner[:])...)
		data = append(data, common.RightPadBytes(call, 2*common.HashLength)...)
	}
	return data
}

// readBalances reads an array of (success, bytes), each of one number.
func readBalances(data []byte, n int) (units []*big.Int, ok bool) {
	at := func(base, words int) (int, bool) {
		from := base + words*common.HashLength
		if base < 0 || from < 0 || from+common.HashLength > len(data) {
			return 0, false
		}
		v := new(big.Int).SetBytes(data[from : from+common.HashLength])
		if !v.IsInt64() || v.Int64() > int64(len(data)) {
			return 0, false
		}
		return int(v.Int64()), true
	}
	list, ok := at(0, 0)
	if size, sized := at(list, 0); !ok || !sized || size != n {
		return nil, false
	}
	list += common.HashLength
	for i := range n {
		offset, ok := at(list, i)
		if !ok {
			return nil, false
		}
		element := list + offset
		success, told := at(element, 0)
		where, placed := at(element, 1)
		size, sized := at(element+where, 0)
		from := element + where + common.HashLength
		if !told || !placed || !sized || success != 1 || size != common.HashLength || from+size > len(data) {
			return nil, false
		}
		units = append(units, new(big.Int).SetBytes(data[from:from+size]))
	}
	return units, true
}
