package tronnode

import (
	"encoding/hex"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// asked answers about an address, or with java-tron's error if it is none.
func (q *question) asked(text string, answer func(a common.Address) object) any {
	if text == "" {
		return object{}
	}
	a, ok := q.address(text)
	if !ok {
		return javaError("org.tron.core.services.http.JsonFormat$ParseException", "1:13: INVALID hex String")
	}
	return answer(a)
}

func accountOf(c *chain, q *question) any {
	return q.asked(q.Address, func(a common.Address) object { return q.account(c, a) })
}

func resourcesOf(c *chain, q *question) any { return q.asked(q.Address, c.resources) }

func loansOf(c *chain, q *question) any {
	return q.asked(q.From, func(from common.Address) object {
		to, ok := q.address(q.To)
		if !ok {
			return object{}
		}
		return q.loaned(c, from, to)
	})
}

// lentTo answers whom an account has delegated to, and who has delegated to it.
func lentTo(c *chain, q *question) any {
	return q.asked(q.Value, func(a common.Address) object {
		to, from := map[string]bool{}, map[string]bool{}
		for l := range c.loans {
			if l.from == a {
				to[q.printer.address(l.to)] = true
			}
			if l.to == a {
				from[q.printer.address(l.from)] = true
			}
		}
		o := object{"account": q.printer.address(a)}
		for name, list := range map[string]map[string]bool{"toAccounts": to, "fromAccounts": from} {
			if len(list) > 0 {
				o[name] = slices.Sorted(maps.Keys(list))
			}
		}
		return o
	})
}

// lendable answers how much of its stake an account could delegate now.
func lendable(c *chain, q *question) any {
	return q.asked(q.Owner, func(a common.Address) object {
		if resourceNames[q.Type] == "" {
			return object{}
		}
		return object{}.number("max_size", c.lendable(c.accounts[a], q.Type))
	})
}

// constantCall runs a call as a question. A call that reverts is answered as a success, with its failure inside.
func constantCall(c *chain, q *question) any {
	what, err := q.call()
	if err != nil {
		return object{"result": object{"code": "OTHER_ERROR", "message": q.message("class java.security.InvalidParameterException : " + err.Error())}}
	}
	o, refused := c.constant(what)
	if refused != nil {
		return object{"result": object{"code": refused.code, "message": q.message(refused.message)}}
	}
	if o.failure != "" && o.result != resultRevert {
		return object{"result": object{"code": "OTHER_ERROR",
			"message": q.message("class org.tron.core.vm.program.Program$OutOfEnergyException : " + o.failure)}}
	}
	tx := c.unsigned(what)
	ret := object{}
	result := object{"result": true}
	if o.failure != "" {
		ret["ret"], result["message"] = "FAILED", q.message(o.failure)
	}
	printed := q.transaction(tx, what, 0)
	printed["ret"], printed["visible"] = []object{ret}, q.Visible
	answer := object{"result": result, "constant_result": []string{hex.EncodeToString(o.returned)}, "transaction": printed}
	answer.number("energy_used", o.energy).number("energy_penalty", o.penalty)
	if len(o.logs) > 0 {
		answer["logs"] = printer{}.logs(o.logs)
	}
	return answer
}

// estimate answers the energy that a call needs.
func estimate(c *chain, q *question) any {
	what, err := q.call()
	if err != nil {
		return object{"result": object{"code": "OTHER_ERROR", "message": q.message("class java.security.InvalidParameterException : " + err.Error())}}
	}
	o, refused := c.constant(what)
	switch {
	case refused != nil:
		return object{"result": object{"code": refused.code, "message": q.message(refused.message)}}
	case o.failure != "":
		return object{"result": object{"result": true, "code": "CONTRACT_EXE_ERROR", "message": q.message(o.failure)}}
	}
	return object{"result": object{"result": true}, "energy_required": o.energy}
}

func contractOf(c *chain, q *question) any {
	return q.asked(q.Value, func(a common.Address) object { return q.deployed(c, a) })
}

// contractInfo answers the state of a contract too: energy_factor makes its calls dearer.
func contractInfo(c *chain, q *question) any {
	return q.asked(q.Value, func(a common.Address) object {
		deployed := c.contracts[a]
		if deployed == nil {
			return object{}
		}
		state := object{"update_cycle": 1}
		state.number("energy_factor", deployed.factor)
		return object{"smart_contract": q.deployed(c, a), "contract_state": state}.bytes("runtimecode", deployed.code)
	})
}

func (p printer) deployed(c *chain, a common.Address) object {
	deployed := c.contracts[a]
	if deployed == nil {
		return object{}
	}
	o := object{"origin_address": p.address(Rich.Address()), "contract_address": p.address(a), "abi": object{"entrys": deployed.entries()},
		"consume_user_resource_percent": 100, "name": deployed.name, "origin_energy_limit": 10_000_000}
	return o.bytes("bytecode", deployed.code).bytes("code_hash", deployed.hash())
}
