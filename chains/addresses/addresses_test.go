package addresses_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// vector is one address of testdata/addresses.json with the known facts about it.
type vector struct{ Address, Kind, Why string }

type vectors struct{ Valid, Invalid []vector }

func readVectors(t testing.TB) map[string]vectors {
	t.Helper()
	text, err := os.ReadFile("testdata/addresses.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]vectors
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// notPayable are the words of a vector for an address right in form and not payable.
var notPayable = []string{"refuse as", "refuse unless", "contract", "reject as payout target", "not payable", "cannot receive"}

func (v vector) refused() bool {
	for _, word := range notPayable {
		if strings.Contains(v.Kind+v.Why, word) {
			return true
		}
	}
	return false
}

// TestVectors holds every known address against Validate (api-v1 §Payout, wallet).
func TestVectors(t *testing.T) {
	t.Parallel()
	all := readVectors(t)
	for _, n := range pay.Networks {
		if len(all[n.Name].Valid) == 0 || len(all[n.Name].Invalid) == 0 {
			t.Errorf("%s has no vectors", n.Name)
		}
		for _, v := range all[n.Name].Valid {
			checkWellFormed(t, n.Name, v)
		}
		for _, v := range all[n.Name].Invalid {
			checkRefused(t, n.Name, v)
		}
	}
}

func checkWellFormed(t *testing.T, network string, v vector) {
	t.Helper()
	canonical, err := addresses.Validate(network, v.Address)
	if v.refused() {
		if !errors.Is(err, addresses.ErrNotPayable) {
			t.Errorf("%s %s (%s): got %v, want ErrNotPayable", network, v.Address, v.Kind, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s %s (%s): %v", network, v.Address, v.Kind, err)
		return
	}
	if addresses.Match(network, canonical) != addresses.Match(network, v.Address) {
		t.Errorf("%s %s: canonical spelling matches elsewhere", network, v.Address)
	}
}

func checkRefused(t *testing.T, network string, v vector) {
	t.Helper()
	want := addresses.ErrFormat
	if v.refused() {
		want = addresses.ErrNotPayable
	}
	canonical, err := addresses.Validate(network, v.Address)
	if !errors.Is(err, want) || canonical != "" {
		t.Errorf("%s %s (%s): got %q, %v; want %v", network, v.Address, v.Why, canonical, err, want)
	}
	if err != nil && strings.Contains(err.Error(), v.Address) {
		t.Errorf("%s: the error repeats the text", network)
	}
}

// TestCanonical names the one spelling of each form accepted in several.
func TestCanonical(t *testing.T) {
	t.Parallel()
	const (
		evm   = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
		cash  = "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
		token = "bitcoincash:zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w"
		ton   = "UQCTDVUzmAq6EfzYGEWpVOv16yo-H5Vw3B0rktcidz_ULLjm"
		segv0 = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	)
	for _, c := range []struct{ network, address, want string }{
		{"Ethereum", strings.ToLower(evm), evm},
		{"Ethereum", "0x" + strings.ToUpper(evm[2:]), evm},
		{"Bitcoin", strings.ToUpper(segv0), segv0},
		{"BitcoinCash", "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu", cash},
		{"BitcoinCash", strings.ToUpper(cash), cash},
		{"BitcoinCash", strings.TrimPrefix(cash, "bitcoincash:"), cash},
		{"BitcoinCash", token, cash},
		{"TON", "EQCTDVUzmAq6EfzYGEWpVOv16yo+H5Vw3B0rktcidz/ULOUj", ton},
		{"TON", "0:930d5533980aba11fcd81845a954ebf5eb2a3e1f9570dc1d2b92d722773fd42c", ton},
		{"TON", "0:930D5533980ABA11FCD81845A954EBF5EB2A3E1F9570DC1D2B92D722773FD42C", ton},
		{"Cardano", "ADDR1VX2FXV2UMYHTTKXYXP8X0DLPDT3K6CWNG5PXJ3JHSYDZERS66HRL8",
			"addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"},
	} {
		got, err := addresses.Validate(c.network, c.address)
		if err != nil || got != c.want {
			t.Errorf("%s %s: got %s, %v; want %s", c.network, c.address, got, err, c.want)
		}
		if addresses.Match(c.network, c.address) != addresses.Match(c.network, c.want) {
			t.Errorf("%s %s: does not match its canonical spelling", c.network, c.address)
		}
	}
}

// TestRareFormsAreAccepted covers right forms missing in the vectors (CIP-19, P2SH32).
func TestRareFormsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, address string }{
		{"Cardano", "addr1yx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerkr0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shs2z78ve"},
		{"Cardano", "addr1x8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gt7r0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shskhj42g"},
		{"Cardano", "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k"},
		{"Cardano", "addr128phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtupnz75xxcrtw79hu"},
		{"Cardano", "DdzFFzCqrht4PWfBGtmrQz4x1GkZHYLVGbK7aaBkjWxujxzz3L5GxCgPiTsks5RjUr3yX9KvwKjNJBt7ZzPCmS3fUQrGeRvo9Y1YBQKQ"},
		{"BitcoinCash", "bitcoincash:pvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxqaw3dsfwg"},
	} {
		if got, err := addresses.Validate(c.network, c.address); err != nil || got != c.address {
			t.Errorf("%s %s: got %s, %v", c.network, c.address, got, err)
		}
	}
}

// TestRefused covers forms missing in the vectors, close to a right one.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, address string
		want             error
	}{
		{"Ethereum", "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.ErrFormat},
		{"Ethereum", " 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", addresses.ErrFormat},
		{"Ethereum", "0xdac17f958d2ee523a2206206994597c13d831ec7", addresses.ErrNotPayable},
		{"Celo", "0x471EcE3750Da237f93B8E339c536989b8978a438", addresses.ErrNotPayable},
		{"Tron", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", addresses.ErrNotPayable},
		{"Solana", "11111111111111111111111111111111", addresses.ErrNotPayable},
		{"Solana", "5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1", addresses.ErrNotPayable}, // off the curve
		{"BitcoinCash", "bitcoincash:qvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxq5nlegake",
			addresses.ErrNotPayable}, // a key hash of 32 bytes
		{"Cardano", "stake178phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcccycj5", addresses.ErrNotPayable},
		{"Cardano", "37btjrVyb4KDXBNC4haBVPCrro8AQPHwvCMp3RFhhSVWwfFmZ6wwzSK6JK1hY6wHNmtrpTf1kdbva8TCneM2YsiXT7mrzT21EacHnPpz5YyUdj64na",
			addresses.ErrFormat}, // Byron test network
		{"Ripple", "rrrrrrrrrrrrrrrrrrrrrhoLvTp", addresses.ErrNotPayable},
		{"TON", "EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c", addresses.ErrNotPayable},
		{"TON", "1:930d5533980aba11fcd81845a954ebf5eb2a3e1f9570dc1d2b92d722773fd42c", addresses.ErrFormat},
		{"TON", "EQCTDVUzmAq6EfzYGEWpVOv16yo+H5Vw3B0rktcidz/ULOU\n", addresses.ErrFormat},
		{"BitcoinSV", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", addresses.ErrNotPayable},
		{"Bitcoin", "", addresses.ErrFormat},
		{"Bitcoin", strings.Repeat("1", 1<<20), addresses.ErrFormat},
		{"Bitcoin", "bc1", addresses.ErrFormat},
		{"Litecoin", "ltcmweb1", addresses.ErrFormat},
		{"Nowhere", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.ErrNetwork},
	} {
		if got, err := addresses.Validate(c.network, c.address); !errors.Is(err, c.want) || got != "" {
			t.Errorf("%s %.60q: got %q, %v; want %v", c.network, c.address, got, err, c.want)
		}
	}
}

// A script hash in Bitcoin's spelling is refused on the chains with this spelling in their past, with a hint at their own
// forms. It still matches its account, and the same script in the chain's own spelling is paid.
func TestAScriptHashOfBitcoinIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, sent, own, hint string }{
		{"Litecoin", "3MSvaVbVFFLML86rt5eqgA9SvW23upaXdY", "MTf4tP1TCNBn8dNkyxeBVoPrFCcVzxJvvh", "begins with L, M or ltc1"},
		{"BitcoinCash", "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC", "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq", "begins with bitcoincash:, q, p or 1"},
	} {
		got, err := addresses.Validate(c.network, c.sent)
		var hinted interface{ Hint() string }
		if !errors.Is(err, addresses.ErrNotPayable) || got != "" || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), c.hint) {
			t.Errorf("%s %s: %q, %v", c.network, c.sent, got, err)
		}
		if addresses.Match(c.network, c.sent) != addresses.Match(c.network, c.own) {
			t.Errorf("%s %s matches elsewhere", c.network, c.sent)
		}
		if got, err := addresses.Validate(c.network, c.own); err != nil || got != c.own {
			t.Errorf("%s %s: %q, %v", c.network, c.own, got, err)
		}
		if _, err := addresses.Validate("Bitcoin", c.sent); err != nil {
			t.Errorf("Bitcoin %s: %v", c.sent, err)
		}
	}
}

func TestMatchKeepsAccountsTogetherAndApart(t *testing.T) {
	t.Parallel()
	const x = "XVPcpSm47b1CZkf5AkKM9a84dQHe3mTAxgxfLw2qYoe7Boa"
	if got := addresses.Match("Ripple", x); got != "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh" {
		t.Errorf("X-address matches as %s", got)
	}
	monero := readVectors(t)["Monero"].Valid
	if addresses.Match("Monero", monero[0].Address) != addresses.Match("Monero", monero[1].Address) {
		t.Error("an integrated address does not match its standard address")
	}
	if got := addresses.Match("Bitcoin", "not an address"); got != "not an address" {
		t.Errorf("a foreign text matches as %q", got)
	}
}

func TestTag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, address, base, tag string
		ok                          bool
	}{
		{"Ripple", "XVPcpSm47b1CZkf5AkKM9a84dQHe3mTAxgxfLw2qYoe7Boa",
			"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "12345", true},
		{"Ripple", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
			"r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59", "", false},
		{"Ripple", "r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV", "r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV", "", false},
		{"Ripple", "X7", "X7", "", false},
		{"Tron", "TFEkshkSXo8yMe8vcA6P77XmiLfstNWHyT", "TFEkshkSXo8yMe8vcA6P77XmiLfstNWHyT", "", false},
	} {
		base, tag, ok := addresses.Tag(c.network, c.address)
		if base != c.base || tag != c.tag || ok != c.ok {
			t.Errorf("%s: got %s, %q, %v", c.address, base, tag, ok)
		}
	}
}
