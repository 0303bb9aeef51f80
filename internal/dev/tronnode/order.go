package tronnode

import "github.com/ethereum/go-ethereum/common"

// order has the fields of all known kinds of contracts.
type order struct {
	owner     common.Address
	to        common.Address // the receiver, or the contract that is called
	amount    int64          // sun
	resource  int64          // bandwidth or energy
	data      []byte         // of a call
	callValue int64          // sun sent along with a call
	token     int64          // units of a TRC-10 sent along with a call
	lock      bool
	period    int64
}

// The two resources.
const (
	bandwidth int64 = 0
	energy    int64 = 1
)

var resourceNames = map[int64]string{bandwidth: "BANDWIDTH", energy: "ENERGY"}

// readOrder reads the message of a known kind.
func (c *contract) readOrder() *refusal {
	var owner, to []byte
	var lock int64
	places := c.places(&owner, &to, &lock)
	err := each(c.value, func(f field) bool {
		switch place := places[int(f.id)].(type) {
		case *int64:
			return f.toNumber(place)
		case *[]byte:
			return f.toBytes(place)
		}
		return false
	})
	if err != nil {
		return invalid(err.Error())
	}
	var ok bool
	if c.owner, ok = addressOf(owner); !ok {
		return invalid("Invalid ownerAddress!")
	}
	if c.to, ok = addressOf(to); !ok && c.hasReceiver() {
		return invalid("Invalid toAddress!")
	}
	c.lock = lock != 0
	return nil
}

func (c *contract) hasReceiver() bool {
	return c.kind == transfer || c.kind == trigger || c.kind == delegate || c.kind == undelegate
}

// places returns for each field of the kind's message where it is put.
func (c *contract) places(owner, to *[]byte, lock *int64) map[int]any {
	var tokenID int64
	switch c.kind {
	case transfer:
		return map[int]any{1: owner, 2: to, 3: &c.amount}
	case trigger:
		return map[int]any{1: owner, 2: to, 3: &c.callValue, 4: &c.data, 5: &c.token, 6: &tokenID}
	case freeze, unfreeze:
		return map[int]any{1: owner, 2: &c.amount, 3: &c.resource}
	case delegate, undelegate:
		return map[int]any{1: owner, 2: &c.resource, 3: &c.amount, 4: to, 5: lock, 6: &c.period}
	default:
		return map[int]any{1: owner}
	}
}
