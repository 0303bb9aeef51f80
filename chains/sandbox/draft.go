package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"

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
	Index   *uint32         `json:"index,omitempty"` // of the deposit address that sends; nil for the hot wallet
	Nonce   uint64          `json:"nonce"`           // the number of the slot
	Outputs []output        `json:"outputs"`
	Fee     decimal.Decimal `json:"fee"`
	Until   *int64          `json:"until,omitempty"` // where the exclusion is by expiry: the last block that may have it
	Coins   []string        `json:"coins,omitempty"` // where it is by coins: the ids of those spent,
	// Deposits are, of those coins that lie at deposit addresses, the indexes of these, by id.
	Deposits map[string]uint32 `json:"deposits,omitempty"`
	Copied   bool              `json:"copied,omitempty"` // by somebody else, under another id
}

// output pays one recipient.
type output struct {
	To     string          `json:"to"`
	Memo   string          `json:"memo"`
	Token  string          `json:"token"`
	Amount decimal.Decimal `json:"amount"`
}

var errMalformed = errors.New("no transaction of this network")

// draft is a message without its number.
type draft struct {
	chain   *chain
	message message
	spare   chains.Spare
}

// Spare returns the wallet's holdings beyond the order; the mempool is deducted.
func (d draft) Spare() chains.Spare { return d.spare }

// Sign completes the transaction. Sandbox networks have no signatures: whoever knows a wallet of ours may send from it.
func (d draft) Sign(slot chains.Slot) (chains.Signed, error) {
	m := d.message
	m.Nonce = slot.Number
	return d.chain.signed(m)
}

func (c *chain) signed(m message) (chains.Signed, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return chains.Signed{}, err
	}
	return chains.Signed{Txid: txidOf(c.net.Family, raw), Raw: raw, Fee: m.Fee, Until: m.Until}, nil
}

// decode reads raw bytes as the network's nodes do: they trust nobody.
func (c *chain) decode(raw []byte) (message, error) {
	var m message
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil || dec.More() {
		return message{}, errMalformed
	}
	if m.Network != c.net.Name || m.From != c.sender(m.Index) || m.Nonce > math.MaxInt64 || m.Fee.LessThan(baseFee) || !c.shaped(m) {
		return message{}, errMalformed
	}
	for _, o := range m.Outputs {
		if o.Amount.IsNegative() {
			return message{}, errMalformed
		}
		if _, err := c.Validate(o.To); err != nil {
			return message{}, err
		}
	}
	return m, nil
}

// sender is the address that an index of a message proves. "" where no transaction has one.
func (c *chain) sender(index *uint32) string {
	switch {
	case index == nil:
		return c.hot
	case c.collects():
		return c.deposit(*index)
	default:
		return ""
	}
}

// shaped reports whether a message has the parts of a transaction here: one output alone, or coins, or a last block.
func (c *chain) shaped(m message) bool {
	if byCoins := c.exclusion == chains.ByCoins; !byCoins {
		return len(m.Outputs) == 1 && len(m.Coins)+len(m.Deposits) == 0 && (m.Until != nil) == (c.exclusion == chains.ByExpiry)
	}
	ids := slices.Compact(slices.Sorted(slices.Values(m.Coins)))
	for id := range m.Deposits {
		if !slices.Contains(ids, id) {
			return false
		}
	}
	return len(m.Outputs) > 0 && len(m.Outputs) <= batch+split && len(ids) > 0 && len(ids) == len(m.Coins) && m.Until == nil &&
		!slices.ContainsFunc(m.Outputs, func(o output) bool { return o.Token != c.net.Coin })
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
