package tronnode

import (
	"encoding/hex"
	"encoding/json"
)

// broadcastHex takes a transaction in hex.
func broadcastHex(c *chain, q *question) any {
	raw, err := hex.DecodeString(q.Transaction)
	if err != nil {
		return javaError("org.bouncycastle.util.encoders.DecoderException", "exception decoding Hex string: "+err.Error())
	}
	tx, err := readTransaction(raw)
	if err != nil {
		return javaError("com.google.protobuf.InvalidProtocolBufferException", err.Error())
	}
	refused := c.take(tx)
	answer := object{"result": refused == nil, "code": success, "message": "", "transaction": "{}", "txid": hex32(tx.id)}
	if refused != nil {
		answer["code"], answer["message"] = refused.code, refused.message
	}
	if what, unread := tx.order(); unread == nil {
		answer["transaction"] = printedRaw(tx, what)
	}
	return answer
}

// printedRaw is a transaction as text of JSON, with its contract still in bytes.
func printedRaw(tx *transaction, what *contract) string {
	o := printer{true}.transaction(tx, what, 0)
	if raw, ok := o["raw_data"].(object); ok {
		parameter := object{"type_url": what.url, "value": hex.EncodeToString(what.value)}
		raw["contract"] = []object{{"type": kindNames[what.kind], "parameter": parameter}}
	}
	delete(o, "txID")
	delete(o, "raw_data_hex")
	out, _ := json.Marshal(o)
	return string(out)
}

// broadcastJSON takes a transaction as an object. As in java-tron, raw_data counts, and raw_data_hex does not.
func broadcastJSON(c *chain, q *question) any {
	tx, err := q.packed()
	if err != nil {
		return javaError("java.lang.NullPointerException", "null")
	}
	refused := c.take(tx)
	if refused == nil {
		return object{"result": true, "txid": hex32(tx.id)}
	}
	return object{"code": refused.code, "message": q.message(refused.message), "txid": hex32(tx.id)}
}

// take broadcasts a transaction, unless a test has ordered something else.
func (c *chain) take(tx *transaction) *refusal {
	if len(c.refusals) > 0 {
		next := c.refusals[0]
		c.refusals = c.refusals[1:]
		return refuse(next)
	}
	if c.swallow > 0 {
		c.swallow--
		return nil
	}
	return c.broadcast(tx)
}

// packed writes the transaction of an object as a message.
func (q *question) packed() (*transaction, error) {
	var raw struct {
		RefBytes   string `json:"ref_block_bytes"`
		RefHash    string `json:"ref_block_hash"`
		Data       string `json:"data"`
		Expiration int64  `json:"expiration"`
		Timestamp  int64  `json:"timestamp"`
		FeeLimit   int64  `json:"fee_limit"`
		Contract   []packedContract
	}
	if err := json.Unmarshal(q.Raw, &raw); err != nil {
		return nil, err
	}
	m := message(nil).bytes(1, unhex(raw.RefBytes)).bytes(4, unhex(raw.RefHash)).number(8, raw.Expiration).bytes(10, unhex(raw.Data))
	for _, c := range raw.Contract {
		m = m.always(11, q.packContract(c))
	}
	m = m.number(14, raw.Timestamp).number(18, raw.FeeLimit)
	whole := message(nil).always(1, m)
	for _, s := range q.Signature {
		whole = whole.always(2, unhex(s))
	}
	return readTransaction(whole)
}

type packedContract struct {
	Type       string
	Permission int64 `json:"Permission_id"`
	Parameter  struct {
		URL   string `json:"type_url"`
		Value struct {
			Owner     string `json:"owner_address"`
			To        string `json:"to_address"`
			Contract  string `json:"contract_address"`
			Receiver  string `json:"receiver_address"`
			Data      string `json:"data"`
			Resource  string `json:"resource"`
			Amount    int64  `json:"amount"`
			CallValue int64  `json:"call_value"`
			Frozen    int64  `json:"frozen_balance"`
			Unfreeze  int64  `json:"unfreeze_balance"`
			Balance   int64  `json:"balance"`
			Lock      bool   `json:"lock"`
			Period    int64  `json:"lock_period"`
		}
	}
}

func (q *question) packContract(c packedContract) []byte {
	v := c.Parameter.Value
	address := func(text string) []byte {
		if a, ok := q.address(text); ok {
			return bytesOf(a)
		}
		return nil
	}
	var resource, lock int64
	if v.Resource == "ENERGY" {
		resource = energy
	}
	if v.Lock {
		lock = 1
	}
	k := kind(-1)
	for known, name := range kindNames {
		if name == c.Type {
			k = known
		}
	}
	m := message(nil).bytes(1, address(v.Owner))
	switch k {
	case transfer:
		m = m.bytes(2, address(v.To)).number(3, v.Amount)
	case trigger:
		m = m.bytes(2, address(v.Contract)).number(3, v.CallValue).bytes(4, unhex(v.Data))
	case freeze, unfreeze:
		m = m.number(2, v.Frozen+v.Unfreeze).number(3, resource)
	case delegate, undelegate:
		m = m.number(2, resource).number(3, v.Balance).bytes(4, address(v.Receiver)).number(5, lock).number(6, v.Period)
	}
	parameter := message(nil).bytes(1, []byte(c.Parameter.URL)).bytes(2, m)
	return message(nil).number(1, int64(k)).bytes(2, parameter).number(5, c.Permission)
}

func unhex(text string) []byte {
	raw, _ := hex.DecodeString(text)
	return raw
}
