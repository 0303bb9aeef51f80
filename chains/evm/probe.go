package evm

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// The instructions of a probe.
const (
	opReturnDataSize = 0x3d
	opPop            = 0x50
	opMstore         = 0x52
	opGas            = 0x5a
	opPush2          = 0x61
	opPush20         = 0x73
	opPush32         = 0x7f
	opCall           = 0xf1
	opReturn         = 0xf3
	opStaticCall     = 0xfa
)

// probe is the code of a contract never deployed: a node runs it in the place of a holder, in a call without effect. It
// transfers units of a token, and answers five words.
type probe struct{ code []byte }

// Places in its memory; those from probeBefore on are answered.
const (
	probeBefore  = 0x100 // the recipient's balance before
	probeSuccess = 0x120 // 1 where the transfer did not revert
	probeSize    = 0x140 // how many bytes it returned
	probeValue   = 0x160 // the first word of these
	probeAfter   = 0x180 // the recipient's balance after
	probeEnd     = 0x1a0
)

// transferProbe returns code to transfer units of a token to an address.
func transferProbe(contract, to common.Address, units *big.Int) []byte {
	p := &probe{}
	p.balance(contract, to, probeBefore)
	p.store(transferCall(to, units))
	p.push(common.HashLength).push(probeValue).push(4+2*common.HashLength).push(0).push(0).address(contract).op(opGas, opCall)
	p.push(probeSuccess).op(opMstore, opReturnDataSize).push(probeSize).op(opMstore)
	p.balance(contract, to, probeAfter)
	p.push(probeEnd - probeBefore).push(probeBefore).op(opReturn)
	return p.code
}

// balance stores the balance of an address.
func (p *probe) balance(contract, of common.Address, at int64) {
	p.store(balanceOf(of))
	p.push(common.HashLength).push(at).push(4+common.HashLength).push(0).address(contract).op(opGas, opStaticCall, opPop)
}

// store puts calldata at the start of memory, a word at a time.
func (p *probe) store(data []byte) {
	for at := 0; at < len(data); at += common.HashLength {
		p.code = append(p.code, opPush32)
		p.code = append(p.code, common.RightPadBytes(data[at:min(at+common.HashLength, len(data))], common.HashLength)...)
		p.push(int64(at)).op(opMstore)
	}
}

func (p *probe) push(n int64) *probe {
	p.code = append(p.code, opPush2, byte(n>>8), byte(n))
	return p
}

func (p *probe) address(a common.Address) *probe {
	p.code = append(append(p.code, opPush20), a[:]...)
	return p
}

func (p *probe) op(codes ...byte) *probe {
	p.code = append(p.code, codes...)
	return p
}
