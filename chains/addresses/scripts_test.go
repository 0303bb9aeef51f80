package addresses_test

import (
	"encoding/hex"
	"testing"

	"causeway/chains/addresses"
)

// TestScriptsOfAddresses: each payable address of Bitcoin and its kin has one output, which leads back to the spelling of Match.
func TestScriptsOfAddresses(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for network, all := range readVectors(t) {
		switch network {
		case "Bitcoin", "Litecoin", "Dogecoin", "BitcoinCash", "BitcoinSV", "BitcoinGold":
		default:
			continue
		}
		for _, v := range all.Valid {
			script, err := addresses.Script(network, v.Address)
			if _, refused := addresses.Validate(network, v.Address); refused != nil {
				if err == nil {
					t.Errorf("%s %s has output %x, and is refused: %v", network, v.Address, script, refused)
				}
				continue
			}
			if got := addresses.OfScript(network, script); err != nil || got != addresses.Match(network, v.Address) {
				t.Errorf("%s %s: output %x, %v, is %q again", network, v.Address, script, err, got)
			}
			kinds[network] = true
		}
	}
	if len(kinds) != 6 {
		t.Errorf("vectors of %v alone", kinds)
	}
}

// TestScriptsAreThoseOfTheNodes: outputs as the reference nodes write them (validateaddress).
func TestScriptsAreThoseOfTheNodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, address, script string }{
		{"Bitcoin", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"},
		{"Bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"},
		{"Bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac"},
		{"Bitcoin", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87"},
		{"BitcoinCash", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac"},
	} {
		if got, err := addresses.Script(c.network, c.address); err != nil || hex.EncodeToString(got) != c.script {
			t.Errorf("%s: %x, %v, want %s", c.address, got, err, c.script)
		}
	}
	for _, odd := range []string{"", "6a0401020304", "51", "0014751e76e8199196d454941c45d1b3a323f1433b", "0015751e76e8199196d454941c45d1b3a323f1433bd6aa",
		"76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac00", "2102aabb", "ef0011", "4f02abcd"} {
		script, _ := hex.DecodeString(odd)
		for _, network := range []string{"Bitcoin", "Dogecoin", "BitcoinCash", "Ethereum", "none"} {
			if got := addresses.OfScript(network, script); got != "" {
				t.Errorf("%s: output %s is address %s", network, odd, got)
			}
		}
	}
	if _, err := addresses.Script("Ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec8"); err == nil {
		t.Error("an address of Ethereum has an output")
	}
}
