package tronnode

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// object is an object of an answer. As java-tron does, it leaves out zeros, empty texts and empty lists.
type object map[string]any

func (o object) number(name string, value int64) object {
	if value != 0 {
		o[name] = value
	}
	return o
}

func (o object) text(name, value string) object {
	if value != "" {
		o[name] = value
	}
	return o
}

func (o object) bytes(name string, value []byte) object {
	return o.text(name, hex.EncodeToString(value))
}

func (o object) yes(name string, value bool) object {
	if value {
		o[name] = true
	}
	return o
}

// printer writes addresses and texts as asked for: in hex, or visible.
type printer struct{ visible bool }

func (p printer) address(a common.Address) string {
	if p.visible {
		return Text(a)
	}
	return hexOf(a)
}

func (p printer) message(text string) string {
	if p.visible {
		return text
	}
	return hexText(text)
}

func (p printer) block(b *block) object {
	raw := object{"txTrieRoot": hex32(b.root), "parentHash": hex32(b.parent)}
	raw.number("number", b.number).number("timestamp", b.time)
	raw["witness_address"], raw["version"] = p.address(b.witness.Address()), blockVersion
	header := object{"raw_data": raw}.bytes("witness_signature", b.signature())
	o := object{"blockID": hex32(b.id), "block_header": header}
	if len(b.txs) > 0 {
		txs := make([]object, len(b.txs))
		for i := range b.txs {
			txs[i] = p.transaction(b.txs[i].transaction, b.txs[i].what, b.txs[i].result)
		}
		o["transactions"] = txs
	}
	return o
}

// transaction prints a transaction and its result; a result of 0 is none yet.
func (p printer) transaction(tx *transaction, what *contract, result int64) object {
	raw := object{"contract": []object{p.contract(what)}, "ref_block_bytes": hex.EncodeToString(tx.refBytes)}
	raw.bytes("ref_block_hash", tx.refHash).bytes("data", tx.data)
	raw.number("expiration", tx.expiration).number("timestamp", tx.timestamp).number("fee_limit", tx.feeLimit)
	o := object{"txID": hex32(tx.id), "raw_data": raw, "raw_data_hex": hex.EncodeToString(tx.raw)}
	if len(tx.signatures) > 0 {
		signatures := make([]string, len(tx.signatures))
		for i, s := range tx.signatures {
			signatures[i] = hex.EncodeToString(s)
		}
		o["signature"] = signatures
	}
	if result != 0 {
		o["ret"] = []object{{"contractRet": resultNames[result]}}
	}
	return o
}

func (p printer) contract(what *contract) object {
	value := object{"owner_address": p.address(what.owner)}
	resource := ""
	if what.resource != bandwidth {
		resource = resourceNames[what.resource]
	}
	switch what.kind {
	case transferAsset:
		value["to_address"], value["asset_name"] = p.address(what.to), p.message(assetName)
		value.number("amount", what.amount)
	case transfer:
		value["to_address"] = p.address(what.to)
		value.number("amount", what.amount)
	case trigger:
		value["contract_address"] = p.address(what.to)
		value.bytes("data", what.data).number("call_value", what.callValue)
	case freeze:
		value.number("frozen_balance", what.amount).text("resource", resource)
	case unfreeze:
		value.number("unfreeze_balance", what.amount).text("resource", resource)
	case delegate, undelegate:
		value["receiver_address"] = p.address(what.to)
		value.number("balance", what.amount).text("resource", resource).yes("lock", what.lock).number("lock_period", what.period)
	}
	name := strings.TrimPrefix(what.url, "type.googleapis.com/protocol.")
	return object{"type": name, "parameter": object{"value": value, "type_url": what.url}}.number("Permission_id", what.permission)
}

// info prints what a transaction in a block has cost and done.
func (p printer) info(tx *mined, b *block) object {
	receipt := object{}
	receipt.number("energy_usage", tx.energyUsage).number("energy_fee", tx.energyFee).
		number("energy_usage_total", tx.energyTotal).number("energy_penalty_total", tx.penalty).
		number("net_usage", tx.netUsage).number("net_fee", tx.netFee)
	o := object{"id": hex32(tx.id), "blockNumber": b.number, "blockTimeStamp": b.time,
		"contractResult": []string{hex.EncodeToString(tx.returned)}, "receipt": receipt}
	o.number("fee", tx.fee+tx.energyFee+tx.netFee+tx.memoFee)
	o.number("withdraw_expire_amount", tx.withdrawn)
	if tx.contract != nil {
		o["contract_address"] = p.address(*tx.contract)
		receipt["result"] = resultNames[tx.result]
	}
	if tx.failure != "" {
		o["result"], o["resMessage"] = "FAILED", p.message(tx.failure)
	}
	if len(tx.logs) > 0 {
		o["log"] = p.logs(tx.logs)
	}
	return o
}

// logs prints logs. Their addresses have no version in front, unless they are visible.
func (p printer) logs(entries []entry) []object {
	logs := make([]object, len(entries))
	for i, e := range entries {
		address := hex.EncodeToString(e.contract[:])
		if p.visible {
			address = Text(e.contract)
		}
		topics := make([]string, len(e.topics))
		for j, t := range e.topics {
			topics[j] = hex.EncodeToString(t[:])
		}
		logs[i] = object{"address": address, "topics": topics}.bytes("data", e.data)
	}
	return logs
}

// javaError is an error of java-tron's, which has the class of the exception in its text.
func javaError(class, message string) object {
	return object{"Error": fmt.Sprintf("class %s : %s", class, message)}
}
