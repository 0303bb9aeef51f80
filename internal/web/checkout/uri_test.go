package checkout

import (
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/internal/web/qr"
)

func TestURIs(t *testing.T) {
	t.Parallel()
	usdc := Token{"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6}
	for name, c := range map[string]struct {
		request
		amount, want string
		plain        bool
	}{
		"bitcoin": {request{Network: "Bitcoin", Address: "bc1qxy", Token: Token{Decimals: 8}}, "0.00000001",
			"bitcoin:bc1qxy?amount=0.00000001", false},
		"no amount":    {request{Network: "Bitcoin", Address: "bc1qxy"}, "0", "bitcoin:bc1qxy", false},
		"litecoin":     {request{Network: "Litecoin", Address: "ltc1q"}, "2", "litecoin:ltc1q?amount=2", false},
		"dogecoin":     {request{Network: "Dogecoin", Address: "D1"}, "100000000", "dogecoin:D1?amount=100000000", false},
		"bitcoin cash": {request{Network: "BitcoinCash", Address: "bitcoincash:qz"}, "1.5", "bitcoincash:qz?amount=1.5", false},
		"bitcoin gold": {request{Network: "BitcoinGold", Address: "G1"}, "1", "bitcoingold:G1?amount=1", false},
		"bitcoin sv":   {request{Network: "BitcoinSV", Address: "1A"}, "1", "1A", true},
		"ether": {request{Network: "Ethereum", Address: "0xAb", ChainID: 1, Token: Token{Decimals: 18}}, "1.00000001",
			"ethereum:0xAb@1?value=1000000010000000000", false},
		"an ERC-20": {request{Network: "Ethereum", Address: "0xAb", ChainID: 1, Token: usdc}, "25.1",
			"ethereum:" + usdc.Contract + "@1/transfer?address=0xAb&uint256=25100000", false},
		"another chain": {request{Network: "Polygon", Address: "0xAb", ChainID: 137, Token: Token{Decimals: 18}}, "2",
			"ethereum:0xAb@137?value=2000000000000000000", false},
		"an unknown chain": {request{Network: "Polygon", Address: "0xAb", Token: Token{Decimals: 18}}, "2", "0xAb", true},
		"solana":           {request{Network: "Solana", Address: "So1", Token: Token{Decimals: 9}}, "0.5", "solana:So1?amount=0.5", false},
		"an SPL token": {request{Network: "Solana", Address: "So1", Token: Token{"EPjF", 6}}, "0.5",
			"solana:So1?amount=0.5&spl-token=EPjF", false},
		"ton": {request{Network: "TON", Address: "UQ1", Memo: "12345678", Token: Token{Decimals: 9}}, "1.25",
			"ton://transfer/UQ1?amount=1250000000&text=12345678", false},
		"a jetton": {request{Network: "TON", Address: "UQ1", Memo: "12345678", Token: Token{"EQC", 6}}, "1.25",
			"ton://transfer/UQ1?jetton=EQC&amount=1250000&text=12345678", false},
		"xrp":      {request{Network: "Ripple", Address: "rA", Memo: "12345678"}, "40.5", "ripple:rA?amount=40.5&dt=12345678", false},
		"tron":     {request{Network: "Tron", Address: "TA", Token: Token{Decimals: 6}}, "40", "tron:TA?amount=40", false},
		"a TRC-20": {request{Network: "Tron", Address: "TA", Token: Token{"TR7", 6}}, "40", "TA", true},
		"cardano":  {request{Network: "Cardano", Address: "addr1"}, "40", "web+cardano:addr1?amount=40", false},
		"monero":   {request{Network: "Monero", Address: "4A"}, "0.1", "monero:4A?tx_amount=0.1", false},
		"nowhere":  {request{Network: "Nowhere", Address: "x"}, "1", "x", true},
	} {
		c.Amount = decimal.RequireFromString(c.amount)
		if got, is := c.uri(); got != c.want || is == c.plain {
			t.Errorf("%s: %q %v, want %q", name, got, is, c.want)
		}
	}
}

// Every network's own addresses fit into a QR code, with the longest amount.
func TestEveryNetworkHasACode(t *testing.T) {
	t.Parallel()
	for _, n := range pay.Networks {
		r := request{Network: n.Name, Address: addresses.Encode(n.Name, [32]byte{7}), Memo: "123456789012345", ChainID: 43114,
			Token: Token{Decimals: 18}, Amount: decimal.RequireFromString("123456789012345678901234567890.12345678")}
		text, _ := r.uri()
		made, err := qr.Make(text)
		if err != nil || made.Size < 21+2*qr.Quiet || made.Path == "" {
			t.Errorf("%s: %v %v", text, made, err)
		}
		if networkName(n.Name, "", 0) == "" || memoWord(n.Name) == "" {
			t.Errorf("%s has no name", n.Name)
		}
	}
}
