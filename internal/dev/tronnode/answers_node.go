package tronnode

import "strconv"

// Version is what the node calls itself: it says that it is no node.
const Version = "causeway-tronnode (a fake for tests, not java-tron)"

// parameters answers the network's parameters, those without a value as java-tron has them.
func parameters(c *chain, _ *question) any {
	list := []object{
		{"key": "getMaintenanceTimeInterval", "value": 21_600_000},
		{"key": "getAccountUpgradeCost", "value": 9_999 * trx},
		{"key": "getCreateAccountFee", "value": c.fees.Create},
		{"key": "getTransactionFee", "value": c.fees.Byte},
		{"key": "getAssetIssueFee", "value": 1_024 * trx},
		{"key": "getCreateNewAccountFeeInSystemContract", "value": c.fees.Activate},
		{"key": "getCreateNewAccountBandwidthRate", "value": 1},
		{"key": "getAllowSameTokenName", "value": 1},
		{"key": "getEnergyFee", "value": c.fees.Energy},
		{"key": "getTotalEnergyCurrentLimit", "value": int64(energyTotal)},
		{"key": "getAllowMultiSign", "value": 1},
		{"key": "getTotalNetLimit", "value": int64(netTotal)},
		{"key": "getForbidTransferToContract", "value": 1},
		{"key": "getFreeNetLimit", "value": freeNetLimit},
		{"key": "getMaxFeeLimit", "value": c.options.limit},
		{"key": "getUnfreezeDelayDays", "value": c.delay},
		{"key": "getAllowDynamicEnergy", "value": 1},
		{"key": "getDynamicEnergyMaxFactor", "value": 34_000},
		{"key": "getMaxDelegateLockPeriod", "value": longestLock},
		{"key": "getAllowTvmShangHai"},
	}
	if c.fees.Memo > 0 {
		list = append(list, object{"key": "getMemoFee", "value": c.fees.Memo})
	}
	return object{"chainParameter": list}
}

// nodeInfo answers about the node. Its version says that it is a fake.
func nodeInfo(c *chain, _ *question) any {
	number := func(b *block) string { return "Num:" + strconv.FormatInt(b.number, 10) + ",ID:" + hex32(b.id) }
	return object{"beginSyncNum": c.head().number, "block": number(c.head()), "solidityBlock": number(c.solid()),
		"currentConnectCount": 0, "activeConnectCount": 0, "passiveConnectCount": 0, "totalFlow": 0, "peerList": []object{},
		"configNodeInfo": object{"codeVersion": Version, "p2pVersion": "0", "listenPort": 0, "supportConstant": true},
		"machineInfo":    object{}, "cheatWitnessInfoMap": object{}}
}

func energyPrices(c *chain, _ *question) any {
	return object{"prices": "0:" + strconv.FormatInt(c.fees.Energy, 10)}
}

func bytePrices(c *chain, _ *question) any {
	return object{"prices": "0:" + strconv.FormatInt(c.fees.Byte, 10)}
}
