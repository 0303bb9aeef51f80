package tron

import (
	"github.com/ethereum/go-ethereum/common"
)

// resourceEnergy is the one resource that is staked for. Bandwidth is cheap.
const resourceEnergy = 1

// bond is a contract about the stake of an account for energy. A loan has no time for which it stays.
type bond struct {
	kind  int64
	owner common.Address
	to    common.Address // of a loan
	units int64          // of TRX; none of a withdrawal
}

// bondNames are the types of these contracts.
var bondNames = map[int64]string{kindFreezeV2: "FreezeBalanceV2Contract", kindUnfreezeV2: "UnfreezeBalanceV2Contract",
	kindWithdraw: "WithdrawExpireUnfreezeContract", kindDelegate: "DelegateResourceContract", kindUndelegate: "UnDelegateResourceContract"}

// lends reports whether a kind is about a loan.
func lends(kind int64) bool { return kind == kindDelegate || kind == kindUndelegate }

func (b bond) raw() raw {
	parameter := appendBytes(nil, 1, long(b.owner))
	switch {
	case lends(b.kind):
		parameter = appendNumber(appendNumber(parameter, 2, resourceEnergy), 3, b.units)
		parameter = appendBytes(parameter, 4, long(b.to))
	case b.kind != kindWithdraw:
		parameter = appendNumber(appendNumber(parameter, 2, b.units), 3, resourceEnergy)
	}
	return raw{kind: b.kind, typeURL: typePrefix + bondNames[b.kind], parameter: parameter}
}

// readBond reads a contract about a stake. Whether it is for energy, the bytes say that raw writes.
func readBond(kind int64, parameter []byte) (b bond, ok bool) {
	m, err := readMessage(parameter)
	if err != nil || bondNames[kind] == "" {
		return b, false
	}
	b.kind = kind
	b.owner, ok = account(m.bytes[1])
	switch {
	case lends(kind):
		to, known := account(m.bytes[4])
		b.to, b.units, ok = to, m.number(3), ok && known
	case kind != kindWithdraw:
		b.units = m.number(2)
	}
	return b, ok
}
