package tronnode

import (
	"fmt"
	"slices"
)

// The terms of stakes.
const (
	dayMs           = 24 * 60 * 60 * 1000
	unfreezesAtOnce = 32
	defaultLock     = 86_400     // slots
	longestLock     = 10_512_000 // slots
)

func (c *chain) freeze(what *contract) *refusal {
	owner := c.accounts[what.owner]
	switch {
	case what.amount <= 0:
		return invalid("frozenBalance must be positive")
	case what.amount < trx:
		return invalid("frozenBalance must be greater than or equal to 1 TRX")
	case what.amount > owner.balance:
		return invalid("frozenBalance must be less than or equal to accountBalance")
	case resourceNames[what.resource] == "":
		return invalid("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]")
	}
	owner.balance -= what.amount
	owner.stakes[what.resource].frozen += what.amount
	c.setAccount(what.owner, owner)
	c.addWeight(what.resource, what.amount)
	return nil
}

func (c *chain) addWeight(resource, sun int64) {
	put(&c.state, c.weights, resource, c.weights[resource]+sun)
}

func (c *chain) unfreeze(what *contract, r *receipt) *refusal {
	if resourceNames[what.resource] == "" {
		return invalid("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]")
	}
	owner := c.accounts[what.owner]
	own := &owner.stakes[what.resource]
	waiting, _ := owner.due(c.head().time)
	switch {
	case own.frozen <= 0:
		return invalid("no frozenBalance(" + map[int64]string{bandwidth: "BANDWIDTH", energy: "Energy"}[what.resource] + ")")
	case what.amount <= 0 || what.amount > own.frozen:
		return invalid(fmt.Sprintf("Invalid unfreeze_balance, [%d] is error", what.amount))
	case len(waiting) >= unfreezesAtOnce:
		return invalid("Invalid unfreeze operation, unfreezing times is over limit")
	}
	r.withdrawn = c.collect(&owner)
	own.frozen -= what.amount
	owner.leaving = append(slices.Clone(owner.leaving), leaving{what.resource, what.amount, c.head().time + int64(c.delay)*dayMs})
	c.setAccount(what.owner, owner)
	c.addWeight(what.resource, -what.amount)
	return nil
}

func (c *chain) withdraw(what *contract, r *receipt) *refusal {
	owner := c.accounts[what.owner]
	if r.withdrawn = c.collect(&owner); r.withdrawn <= 0 {
		return invalid("no unFreeze balance to withdraw ")
	}
	c.setAccount(what.owner, owner)
	return nil
}

// due divides the leaving money into the part that still waits, and the sum of the rest.
func (a account) due(now int64) (waiting []leaving, ready int64) {
	for _, l := range a.leaving {
		if l.due <= now {
			ready += l.amount
		} else {
			waiting = append(waiting, l)
		}
	}
	return waiting, ready
}

// collect adds to the balance what has been unfrozen for long enough.
func (c *chain) collect(a *account) int64 {
	waiting, ready := a.due(c.head().time)
	a.leaving = waiting
	a.balance += ready
	return ready
}

func (c *chain) delegate(what *contract) *refusal {
	if resourceNames[what.resource] == "" {
		return invalid("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]")
	}
	owner := c.accounts[what.owner]
	own := &owner.stakes[what.resource]
	receiver, there := c.accounts[what.to]
	name := map[int64]string{bandwidth: "FreezeBandwidthV2", energy: "FreezeEnergyV2"}[what.resource]
	switch {
	case what.amount < trx:
		return invalid("delegateBalance must be greater than or equal to 1 TRX")
	case own.frozen-c.inUse(*own, what.resource) < what.amount:
		return invalid("delegateBalance must be less than or equal to available " + name + " balance")
	case what.to == what.owner:
		return invalid("receiverAddress must not be the same as ownerAddress")
	case !there:
		return invalid("Account[" + Text(what.to) + "] does not exist")
	case receiver.contract:
		return invalid("Do not allow delegate resources to contract addresses")
	case what.lock && (what.period < 0 || what.period > longestLock):
		return invalid(fmt.Sprintf("The lock period of delegate resource cannot be less than 0 and cannot exceed %d!", longestLock))
	}
	own.frozen -= what.amount
	own.lent += what.amount
	receiver.stakes[what.resource].borrowed += what.amount
	c.setAccount(what.owner, owner)
	c.setAccount(what.to, receiver)
	c.lend(what)
	return nil
}

// lendable is how much of an account's stake, in sun, it could delegate now. Less than 1 TRX is nothing.
func (c *chain) lendable(a account, resource int64) int64 {
	own := a.stakes[resource]
	if left := own.frozen - c.inUse(own, resource); left >= trx {
		return left
	}
	return 0
}

// lend adds to a loan.
func (c *chain) lend(what *contract) {
	key := loan{what.owner, what.to, what.resource}
	l := c.loans[key]
	if what.lock {
		period := what.period
		if period == 0 {
			period = defaultLock
		}
		l.locked += what.amount
		l.until = max(l.until, c.head().time+period*slotMs)
	} else {
		l.free += what.amount
	}
	put(&c.state, c.loans, key, l)
}

// inUse is the part of a stake, in sun, whose resource is used up just now. What others have delegated is used first.
func (c *chain) inUse(s stake, resource int64) int64 {
	sun := float64(s.used.left(c.slot())) * trx * (float64(c.weight(resource)) / float64(total(resource)))
	return max(int64(sun)-s.borrowed, 0)
}

func (c *chain) undelegate(what *contract) *refusal {
	if resourceNames[what.resource] == "" {
		return invalid("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]")
	}
	key := loan{what.owner, what.to, what.resource}
	l, there := c.loans[key]
	if l.until <= c.head().time {
		l.free, l.locked, l.until = l.free+l.locked, 0, 0
	}
	switch {
	case what.to == what.owner:
		return invalid("receiverAddress must not be the same as ownerAddress")
	case !there:
		return invalid("delegated Resource does not exist")
	case what.amount <= 0:
		return invalid("unDelegateBalance must be more than 0 TRX")
	case l.free < what.amount:
		name := map[int64]string{bandwidth: "delegatedFrozenBalance(BANDWIDTH)", energy: "delegateFrozenBalance(Energy)"}[what.resource]
		return invalid(fmt.Sprintf("insufficient %s, request=%d, unlock_balance=%d", name, what.amount, l.free))
	}
	l.free -= what.amount
	put(&c.state, c.loans, key, l)
	c.giveBack(what)
	return nil
}

// giveBack moves a stake from the receiver to its owner, and with it the receiver's use of it.
func (c *chain) giveBack(what *contract) {
	receiver := c.accounts[what.to]
	theirs := &receiver.stakes[what.resource]
	used := theirs.used.left(c.slot())
	moved := int64(float64(used) * (float64(what.amount) / float64(theirs.backed())))
	moved = min(moved, c.limit(what.resource, what.amount))
	theirs.borrowed -= what.amount
	theirs.used = use{used - moved, c.slot()}
	c.setAccount(what.to, receiver)
	owner := c.accounts[what.owner]
	own := &owner.stakes[what.resource]
	own.lent -= what.amount
	own.frozen += what.amount
	own.used = own.used.more(moved, c.slot())
	c.setAccount(what.owner, owner)
}
