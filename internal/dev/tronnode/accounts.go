package tronnode

import "github.com/ethereum/go-ethereum/common"

// account prints an account, or nothing if it is not activated.
func (p printer) account(c *chain, a common.Address) object {
	acc, ok := c.accounts[a]
	if !ok {
		return object{}
	}
	key := []object{{"address": p.address(a), "weight": 1}}
	const window = day * 1000
	resource := object{"energy_window_size": window, "energy_window_optimized": true}
	resource.number("energy_usage", acc.stakes[energy].used.left(c.slot())).
		number("latest_consume_time_for_energy", acc.stakes[energy].used.slot*slotMs).
		number("delegated_frozenV2_balance_for_energy", acc.stakes[energy].lent).
		number("acquired_delegated_frozenV2_balance_for_energy", acc.stakes[energy].borrowed)
	o := object{"address": p.address(a), "account_resource": resource, "frozenV2": frozen(acc),
		"net_window_size": window, "net_window_optimized": true}
	latest := max(acc.stakes[energy].used.slot, acc.stakes[bandwidth].used.slot, acc.freeUsed.slot)
	if acc.contract {
		o["type"] = "Contract"
	} else {
		o["owner_permission"] = object{"permission_name": "owner", "threshold": 1, "keys": key}
		o["active_permission"] = []object{{"type": "Active", "id": 2, "permission_name": "active", "threshold": 1,
			"operations": "7fff1fc0033efb0f000000000000000000000000000000000000000000000000", "keys": key}}
	}
	o.number("balance", acc.balance).number("create_time", acc.created).number("latest_opration_time", latest*slotMs)
	o.number("net_usage", acc.stakes[bandwidth].used.left(c.slot())).
		number("latest_consume_time", acc.stakes[bandwidth].used.slot*slotMs).
		number("free_net_usage", acc.freeUsed.left(c.slot())).
		number("latest_consume_free_time", acc.freeUsed.slot*slotMs).
		number("delegated_frozenV2_balance_for_bandwidth", acc.stakes[bandwidth].lent).
		number("acquired_delegated_frozenV2_balance_for_bandwidth", acc.stakes[bandwidth].borrowed)
	if len(acc.leaving) > 0 {
		o["unfrozenV2"] = unfrozen(acc)
	}
	return o
}

// frozen prints the stakes of an account: the type of the first is the zero of its kind, so it is left out.
func frozen(acc account) []object {
	return []object{object{}.number("amount", acc.stakes[bandwidth].frozen),
		object{"type": "ENERGY"}.number("amount", acc.stakes[energy].frozen), {"type": "TRON_POWER"}}
}

func unfrozen(acc account) []object {
	list := make([]object, len(acc.leaving))
	for i, l := range acc.leaving {
		list[i] = object{"unfreeze_amount": l.amount, "unfreeze_expire_time": l.due}
		if l.resource != bandwidth {
			list[i]["type"] = resourceNames[l.resource]
		}
	}
	return list
}

// resources prints what an account may use today, and has used.
func (c *chain) resources(a common.Address) object {
	acc, ok := c.accounts[a]
	if !ok {
		return object{}
	}
	net, power := acc.stakes[bandwidth], acc.stakes[energy]
	o := object{"freeNetLimit": freeNetLimit, "TotalNetLimit": int64(netTotal), "TotalNetWeight": c.weight(bandwidth),
		"TotalEnergyLimit": int64(energyTotal), "TotalEnergyWeight": c.weight(energy)}
	o.number("freeNetUsed", acc.freeUsed.left(c.slot()))
	o.number("NetLimit", c.limit(bandwidth, net.backed())).number("NetUsed", net.used.left(c.slot()))
	o.number("EnergyLimit", c.limit(energy, power.backed())).number("EnergyUsed", power.used.left(c.slot()))
	staked := net.frozen + net.lent + power.frozen + power.lent
	return o.number("tronPowerLimit", staked/trx)
}

// loaned prints the delegations from one account to another.
func (p printer) loaned(c *chain, from, to common.Address) object {
	net, power := c.loans[loan{from, to, bandwidth}], c.loans[loan{from, to, energy}]
	var list []object
	add := func(net, power, netUntil, powerUntil int64) {
		if net == 0 && power == 0 {
			return
		}
		o := object{"from": p.address(from), "to": p.address(to)}
		o.number("frozen_balance_for_bandwidth", net).number("frozen_balance_for_energy", power)
		list = append(list, o.number("expire_time_for_bandwidth", netUntil).number("expire_time_for_energy", powerUntil))
	}
	add(net.free, power.free, 0, 0)
	add(net.locked, power.locked, net.until, power.until)
	if list == nil {
		return object{}
	}
	return object{"delegatedResource": list}
}
