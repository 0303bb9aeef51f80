package evm

import (
	"bytes"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// The few calls of contracts, written by hand: a selector and words of 32 bytes.
var (
	selectorTransfer    = selector("transfer(address,uint256)")
	selectorBalanceOf   = selector("balanceOf(address)")
	selectorDecimals    = selector("decimals()")
	selectorL1Fee       = selector("getL1Fee(bytes)")
	selectorOperatorFee = selector("getOperatorFee(uint256)")
	selectorError       = selector("Error(string)")
)

func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// callObject is the transaction of eth_call and eth_estimateGas.
type callObject struct {
	From  *common.Address `json:"from,omitempty"`
	To    *common.Address `json:"to"`
	Value *hexutil.Big    `json:"value,omitempty"`
	Data  hexutil.Bytes   `json:"data,omitempty"`
}

func balanceOf(owner common.Address) []byte {
	return append(bytes.Clone(selectorBalanceOf), word(owner[:])...)
}

func transferCall(to common.Address, units *big.Int) []byte {
	data := append(bytes.Clone(selectorTransfer), word(to[:])...)
	return append(data, word(units.Bytes())...)
}

func l1FeeCall(tx []byte) []byte {
	data := append(bytes.Clone(selectorL1Fee), word([]byte{common.HashLength})...)
	data = append(data, word(big.NewInt(int64(len(tx))).Bytes())...)
	padded := (len(tx) + common.HashLength - 1) / common.HashLength * common.HashLength
	return append(data, common.RightPadBytes(tx, padded)...)
}

func operatorFeeCall(gas uint64) []byte {
	return append(bytes.Clone(selectorOperatorFee), word(new(big.Int).SetUint64(gas).Bytes())...)
}

func word(b []byte) []byte { return common.LeftPadBytes(b, common.HashLength) }

// said reads the reason out of a contract's answer to a reverted call, "" when there is none.
func said(data []byte) string {
	const at = 4 + common.HashLength // selector, offset
	if !bytes.HasPrefix(data, selectorError) || len(data) < at+common.HashLength {
		return ""
	}
	size := new(big.Int).SetBytes(data[at : at+common.HashLength])
	text := data[at+common.HashLength:]
	if !size.IsUint64() || size.Uint64() > uint64(len(text)) {
		return ""
	}
	return string(text[:size.Uint64()])
}
