package checkout

import (
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/qr"
)

// Every network's own addresses fit into a QR code, with the longest amount.
func TestEveryNetworkHasACode(t *testing.T) {
	t.Parallel()
	for _, n := range pay.Networks {
		text := chains.WithQuery("ethereum:"+addresses.Encode(n.Name, [32]byte{7})+"@43114/transfer",
			"uint256", "123456789012345678901234567890123456789012345678", "text", "123456789012345")
		made, err := qr.Make(text)
		if err != nil || made.Size < 21+2*qr.Quiet || made.Path == "" {
			t.Errorf("%s: %v %v", text, made, err)
		}
		if networkName(n.Name, "", "") == "" || memoWord(n.Name) == "" {
			t.Errorf("%s has no name", n.Name)
		}
	}
}

// The network's driver writes what a wallet reads, from what is missing of the token that the networks file names; without a
// driver's form the address is shown.
func TestTheDriverWritesTheURI(t *testing.T) {
	t.Parallel()
	own := chains.Token{Symbol: "USDT", Contract: "0x2", Decimals: 9}
	var asked chains.Payment
	n := Network{Tokens: map[string]chains.Token{"USDT": own}, URI: func(p chains.Payment) (string, bool) {
		asked = p
		return "scheme:" + p.To, true
	}}
	v := &view{Memo: "7", Missing: "1.5"}
	v.address(&store.PayerPayin{Token: "USDT", Contract: "0x1", Decimals: 6, Wallet: "0xAb"}, n)
	if v.URI != "scheme:0xAb" || !v.HasURI || asked.Token != own || asked.Memo != "7" || asked.Amount.String() != "1.5" {
		t.Errorf("%s %v, asked for %+v", v.URI, v.HasURI, asked)
	}
	v.address(&store.PayerPayin{Token: "USDC", Contract: "0x1", Decimals: 6, Wallet: "0xAb"}, n)
	if want := (chains.Token{Symbol: "USDC", Contract: "0x1", Decimals: 6}); asked.Token != want {
		t.Errorf("asked for %+v, want %+v", asked.Token, want)
	}
	v.address(&store.PayerPayin{Wallet: "0xAb"}, Network{})
	if v.URI != "0xAb" || v.HasURI {
		t.Errorf("without a form: %s %v", v.URI, v.HasURI)
	}
	if name := networkName("Arbitrum", "", "Arbitrum One"); name != "Arbitrum One" {
		t.Errorf("the chain behind the network is called %s", name)
	}
}
