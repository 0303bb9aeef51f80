package tronnode

import "math"

// The network's resources, about as they are on Tron. Stakes on the fake add to the weights.
const (
	day          = 28_800          // slots
	slotMs       = 3_000           // a slot
	trx          = 1_000_000       // sun
	freeNetLimit = 600             // bytes a day of each account
	netTotal     = 43_200_000_000  // bytes a day for all stakes together
	netWeight    = 27_000_000_000  // TRX staked for them
	energyTotal  = 180_000_000_000 // energy a day for all stakes together
	energyWeight = 19_000_000_000  // TRX staked for it
	resultSize   = 64              // bytes that each contract's result counts for
)

// left is a use as it stands at a slot, after it has faded.
func (u use) left(slot int64) int64 {
	if u.slot+day <= slot {
		return 0
	}
	const precision = 1_000_000
	average := (u.amount*precision + day - 1) / day
	if u.slot != slot {
		average = int64(math.Round(float64(average) * (float64(day-(slot-u.slot)) / float64(day))))
	}
	return average * day / precision
}

// more adds an amount to a use.
func (u use) more(amount, slot int64) use { return use{u.left(slot) + amount, slot} }

// backed is the stake that an account may use: its own, and what others have delegated to it.
func (s stake) backed() int64 { return s.frozen + s.borrowed }

// limit is how much of a resource a stake of some sun gives a day.
func (c *chain) limit(resource, sun int64) int64 {
	return int64(float64(sun) / trx * (float64(total(resource)) / float64(c.weight(resource))))
}

func total(resource int64) int64 {
	if resource == energy {
		return energyTotal
	}
	return netTotal
}

// weight is all that is staked for a resource, in TRX.
func (c *chain) weight(resource int64) int64 {
	base := int64(netWeight)
	if resource == energy {
		base = energyWeight
	}
	return base + c.weights[resource]/trx
}

// spare is how much of a staked resource an account still has today.
func (c *chain) spare(a account, resource int64) int64 {
	s := a.stakes[resource]
	return max(c.limit(resource, s.backed())-s.used.left(c.slot()), 0)
}

// spend uses a staked resource.
func (c *chain) spend(a account, resource, amount int64) account {
	s := &a.stakes[resource]
	s.used = s.used.more(amount, c.slot())
	return a
}

// payBandwidth takes the bytes of a transaction from its owner: out of the stake, the free allowance, or by burning.
func (c *chain) payBandwidth(tx *transaction, order *contract, r *receipt) *refusal {
	owner, ok := c.accounts[order.owner]
	if !ok {
		return invalid("account [" + Text(order.owner) + "] does not exist")
	}
	size := int64(tx.size + resultSize)
	if order.kind == transfer {
		if _, ok := c.accounts[order.to]; !ok {
			return c.payActivation(owner, order, size, r)
		}
	}
	switch {
	case c.spare(owner, bandwidth) >= size:
		owner = c.spend(owner, bandwidth, size)
		r.netUsage = size
	case freeNetLimit-owner.freeUsed.left(c.slot()) >= size:
		owner.freeUsed = owner.freeUsed.more(size, c.slot())
		r.netUsage = size
	case owner.balance >= size*c.fees.Byte:
		owner.balance -= size * c.fees.Byte
		r.netFee = size * c.fees.Byte
	default:
		return refuse(bandError)
	}
	c.setAccount(order.owner, owner)
	return nil
}

// payActivation pays for the bandwidth of a transfer to a new account: out of the stake, or by a fixed fee.
func (c *chain) payActivation(owner account, order *contract, size int64, r *receipt) *refusal {
	switch {
	case c.spare(owner, bandwidth) >= size:
		owner = c.spend(owner, bandwidth, size)
		r.netUsage = size
	case owner.balance >= c.fees.Create:
		owner.balance -= c.fees.Create
		r.netFee = c.fees.Create
	default:
		return refuse(bandError)
	}
	c.setAccount(order.owner, owner)
	return nil
}

// payEnergy takes the energy of a call from its caller: out of the stake first, the rest by burning.
func (c *chain) payEnergy(order *contract, r *receipt) {
	owner := c.accounts[order.owner]
	r.energyUsage = min(c.spare(owner, energy), r.energyTotal)
	r.energyFee = (r.energyTotal - r.energyUsage) * c.fees.Energy
	owner = c.spend(owner, energy, r.energyUsage)
	owner.balance -= r.energyFee
	c.setAccount(order.owner, owner)
}

// energyLimit is how much energy a call may use: what the caller can pay for, and no more than the fee limit allows.
func (c *chain) energyLimit(order *contract, feeLimit int64) int64 {
	owner := c.accounts[order.owner]
	can := c.spare(owner, energy) + max(owner.balance, 0)/c.fees.Energy
	return min(can, feeLimit/c.fees.Energy)
}
