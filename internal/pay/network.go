package pay

import "strings"

// Family names a kind of address: one address of a family serves every network of it.
// The values are the fixed wallet types of the wire (addendum §9).
type Family string

// The address families.
const (
	EVM         Family = "evm"
	Bitcoin     Family = "bitcoin"
	Litecoin    Family = "litecoin"
	Dogecoin    Family = "dogecoin"
	BitcoinCash Family = "bitcoincash"
	BitcoinSV   Family = "bitcoinsv"
	BitcoinGold Family = "bitcoingold"
	Tron        Family = "tron"
	Solana      Family = "solana"
	Ripple      Family = "ripple"
	Cardano     Family = "cardano"
	TON         Family = "ton"
	Monero      Family = "monero"
)

// Network is one chain (api-v1 §Network names).
type Network struct {
	Name    string   // canonical name, as in every answer
	Family  Family   // of its addresses
	Coin    string   // symbol of the native coin; network fees are paid in it
	Aliases []string // accepted on creation, already folded (see fold)
	Memo    bool     // one shared address, payins told apart by a numeric memo
	Tag     bool     // the memo is a destination tag: a number of 32 bits
	// Least is the least of the native coin that its nodes pass on, in units of the eighth decimal; 0 where any amount is.
	Least int64
}

// Networks lists every network of the contract in its order.
var Networks = []Network{
	{Name: "Bitcoin", Family: Bitcoin, Coin: "BTC", Aliases: []string{"btc"}, Least: 546},
	{Name: "Ethereum", Family: EVM, Coin: "ETH", Aliases: []string{"eth", "ethmainnet", "erc20"}},
	{Name: "BinanceSmartChain", Family: EVM, Coin: "BNB", Aliases: []string{"bnb", "bsc", "bep20", "bnbchain", "bnbsmartchain"}},
	{Name: "Tron", Family: Tron, Coin: "TRX", Aliases: []string{"trx", "trc20"}},
	{Name: "Solana", Family: Solana, Coin: "SOL", Aliases: []string{"sol"}},
	{Name: "Ripple", Family: Ripple, Coin: "XRP", Memo: true, Tag: true},
	{Name: "Cardano", Family: Cardano, Coin: "ADA", Least: 110_000_000},
	{Name: "Dogecoin", Family: Dogecoin, Coin: "DOGE", Least: 1_000_000},
	{Name: "Polygon", Family: EVM, Coin: "POL", Aliases: []string{"matic", "pol", "polygonpos"}},
	{Name: "Avalanche", Family: EVM, Coin: "AVAX", Aliases: []string{"avax", "avaxc", "avalanchec"}},
	{Name: "ArbitrumOne", Family: EVM, Coin: "ETH"},
	{Name: "Celo", Family: EVM, Coin: "CELO"},
	{Name: "Optimism", Family: EVM, Coin: "ETH", Aliases: []string{"op", "opmainnet"}},
	{Name: "Arbitrum", Family: EVM, Coin: "ETH", Aliases: []string{"arb", "arbitrumevm"}},
	{Name: "Cronos", Family: EVM, Coin: "CRO"},
	{Name: "Base", Family: EVM, Coin: "ETH"},
	{Name: "BitcoinCash", Family: BitcoinCash, Coin: "BCH", Least: 576},
	{Name: "BitcoinSV", Family: BitcoinSV, Coin: "BSV", Least: 1},
	{Name: "BitcoinGold", Family: BitcoinGold, Coin: "BTG", Least: 546},
	{Name: "Monero", Family: Monero, Coin: "XMR", Aliases: []string{"xmr"}},
	{Name: "OpBnb", Family: EVM, Coin: "BNB"},
	{Name: "Xlayer", Family: EVM, Coin: "OKB", Aliases: []string{"okb"}},
	{Name: "Litecoin", Family: Litecoin, Coin: "LTC", Aliases: []string{"ltc"}, Least: 5_460},
	{Name: "TON", Family: TON, Coin: "TON", Memo: true},
}

var (
	byName  = map[string]*Network{}
	byAlias = map[string]*Network{}
)

func init() {
	for i := range Networks {
		n := &Networks[i]
		byName[n.Name] = n
		byAlias[fold(n.Name)] = n
		for _, a := range n.Aliases {
			byAlias[a] = n
		}
	}
}

// MemoOnChain returns a memo as the network's transactions have it: a destination tag is a number, without leading zeros.
func (n *Network) MemoOnChain(memo string) string {
	if !n.Tag || memo == "" {
		return memo
	}
	if number := strings.TrimLeft(memo, "0"); number != "" {
		return number
	}
	return "0"
}

// NetworkNamed returns the network with exactly this canonical name, as list filters want it.
func NetworkNamed(name string) (*Network, bool) {
	n, ok := byName[name]
	return n, ok
}

// NetworkCalled returns the network meant by a name or alias in a creation request; case, spaces, hyphens and underscores do
// not matter (api-v1 §Network names).
func NetworkCalled(word string) (*Network, bool) {
	n, ok := byAlias[fold(word)]
	return n, ok
}

var foldable = strings.NewReplacer(" ", "", "-", "", "_", "")

func fold(word string) string { return foldable.Replace(strings.ToLower(word)) }
