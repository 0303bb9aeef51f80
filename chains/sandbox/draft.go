package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// baseFee is the fee of a payout on every sandbox network, in its native coin. A replacing transaction costs so much more than
// the replaced one.
var baseFee = decimal.New(1, -4)

// message is a transaction as it goes over the wire: its JSON is the raw bytes.
type message struct {
	Network string          `json:"network"`
	From    string          `json:"from"`
	Nonce   uint64          `json:"nonce"`
	To      string          `json:"to"`
	Memo    string          `json:"memo"`
	Token   string          `json:"token"`
	Amount  decimal.Decimal `json:"amount"`
	Fee     decimal.Decimal `json:"fee"`
}

var errMalformed = errors.New("no transaction of this network")

// draft is a message without its nonce.
type draft struct {
	chain   *chain
	message message
	spare   chains.Spare
}

// Spare returns the hot wallet's holdings beyond the order; the mempool is deducted.
func (d draft) Spare() chains.Spare { return d.spare }

// Sign completes the transaction. Sandbox networks have no signatures: whoever knows the hot wallet may send from it.
func (d draft) Sign(nonce uint64) (chains.Signed, error) {
	m := d.message
	m.Nonce = nonce
	raw, err := json.Marshal(m)
	if err != nil {
		return chains.Signed{}, err
	}
	return chains.Signed{Txid: txidOf(d.chain.net.Family, raw), Raw: raw, Fee: m.Fee}, nil
}

// decode reads raw bytes as the network's nodes do: they trust nobody.
func (c *chain) decode(raw []byte) (message, error) {
	var m message
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil || dec.More() {
		return message{}, errMalformed
	}
	if m.Network != c.net.Name || m.From != c.hot || m.Nonce > math.MaxInt64 || m.Amount.IsNegative() || m.Fee.LessThan(baseFee) {
		return message{}, errMalformed
	}
	if _, err := c.Validate(m.To); err != nil {
		return message{}, err
	}
	return m, nil
}

// replacing is the least fee to replace every one of these transactions in the mempool.
func (c *chain) replacing(over [][]byte) decimal.Decimal {
	fee := decimal.Zero
	for _, raw := range over {
		if m, err := c.decode(raw); err == nil {
			fee = decimal.Max(fee, m.Fee)
		}
	}
	return fee.Add(baseFee)
}
