package checkout

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// request has the parts of a payment URI.
type request struct {
	Network string
	Address string
	Memo    string
	Token   Token // without a contract: the native coin
	ChainID uint64
	Amount  decimal.Decimal // in the token
}

// uri returns the payment URI for wallets of the network, and false where no safe one exists: then a wallet is shown the
// plain address. An amount of zero is left out.
func (r request) uri() (string, bool) {
	n, ok := pay.NetworkNamed(r.Network)
	if !ok {
		return r.Address, false
	}
	native := r.Token.Contract == ""
	switch n.Family {
	case pay.EVM:
		return r.ethereum(native)
	case pay.Solana:
		return r.solana(), true
	case pay.TON:
		return r.ton(native), true
	}
	scheme, ok := schemes[n.Family]
	if !ok || !native {
		return r.Address, false
	}
	return with(scheme.name+":"+strings.TrimPrefix(r.Address, scheme.name+":"), scheme.amount, r.plain(), scheme.memo, r.Memo), true
}

// scheme is a URI of the form of BIP 21: name:address?amount=1.5, the amount in whole coins.
type scheme struct{ name, amount, memo string }

// schemes are those of native coins. Tokens on Tron and Cardano have none wallets agree on. Neither has Bitcoin SV: its
// bitcoin: would be read as a request for another coin.
var schemes = map[pay.Family]scheme{
	pay.Bitcoin:     {name: "bitcoin", amount: "amount"},            // BIP 21
	pay.Litecoin:    {name: "litecoin", amount: "amount"},           // BIP 21
	pay.Dogecoin:    {name: "dogecoin", amount: "amount"},           // BIP 21
	pay.BitcoinCash: {name: "bitcoincash", amount: "amount"},        // BIP 21, the prefix of the address
	pay.BitcoinGold: {name: "bitcoingold", amount: "amount"},        // BIP 21
	pay.Monero:      {name: "monero", amount: "tx_amount"},          // monero-project wiki, URI Formatting
	pay.Cardano:     {name: "web+cardano", amount: "amount"},        // CIP 13
	pay.Tron:        {name: "tron", amount: "amount"},               // the form of BIP 21
	pay.Ripple:      {name: "ripple", amount: "amount", memo: "dt"}, // with the destination tag
}

// ethereum writes EIP-681. Without a chain id a wallet would take its own network.
func (r request) ethereum(native bool) (string, bool) {
	if r.ChainID == 0 {
		return r.Address, false
	}
	chain := "@" + strconv.FormatUint(r.ChainID, 10)
	if native {
		return with("ethereum:"+r.Address+chain, "value", r.base()), true
	}
	return with("ethereum:"+r.Token.Contract+chain+"/transfer", "address", r.Address, "uint256", r.base()), true
}

// solana writes a transfer request of Solana Pay.
func (r request) solana() string {
	return with("solana:"+r.Address, "amount", r.plain(), "spl-token", r.Token.Contract)
}

// ton writes a transfer link; jettons are named by their master contract. Amounts are in base units.
func (r request) ton(native bool) string {
	if native {
		return with("ton://transfer/"+r.Address, "amount", r.base(), "text", r.Memo)
	}
	return with("ton://transfer/"+r.Address, "jetton", r.Token.Contract, "amount", r.base(), "text", r.Memo)
}

// plain is the amount in whole coins, "" for none.
func (r request) plain() string {
	if !r.Amount.IsPositive() {
		return ""
	}
	return r.Amount.String()
}

// base is the amount in the chain's smallest units, "" for none.
func (r request) base() string {
	if !r.Amount.IsPositive() {
		return ""
	}
	return r.Amount.Shift(r.Token.Decimals).BigInt().String()
}

// with adds the parameters, in pairs, that have a value.
func with(start string, pairs ...string) string {
	var out strings.Builder
	out.WriteString(start)
	mark := "?"
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "" && pairs[i+1] != "" {
			out.WriteString(mark + pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
			mark = "&"
		}
	}
	return out.String()
}
