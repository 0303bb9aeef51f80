package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// An address is called valid if a payout takes it, for each kind of refusal of its wallet.
func TestValidateAddress(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Extensions: GET /v1/validate-address")
	s := newShop(t)
	for _, c := range []struct {
		network, canonical, wallet string
		valid                      bool
		memo                       any
	}{
		{"eth", "Ethereum", evmWallet, true, nil},
		{"ERC20", "Ethereum", " " + evmWallet + " ", true, nil},
		{"Tron", "Tron", tronWallet, true, nil},
		{"Ripple", "Ripple", xrpWallet, true, nil},
		{"Ripple", "Ripple", xrpTagged, true, "1"},
		{"Tron", "Tron", evmWallet, false, nil},
		{"Ethereum", "Ethereum", hotWallet, false, nil},
		{"Ethereum", "Ethereum", tetherOnEth, false, nil},
		{"Ethereum", "Ethereum", "nonsense", false, nil},
	} {
		a := s.ask("GET", "/v1/validate-address?"+url.Values{"network": {c.network}, "wallet": {c.wallet}}.Encode(), "")
		a.is(t, 200, "")
		want := map[string]any{"message": "address_validated_success", "network": c.canonical, "wallet": strings.TrimSpace(c.wallet),
			"valid": c.valid, "memo": c.memo, "reason": nil}
		if !c.valid {
			want["reason"] = "invalid_format"
		}
		decodeReply(t, a.text).wants(t, want)
		if hint, _ := decodeReply(t, a.text)["hint"].(string); (hint == "") != c.valid {
			t.Errorf("%s: hint %q", c.wallet, hint)
		}
	}
	for query, field := range map[string]string{"": "wallet", "?network=Tron": "wallet", "?wallet=" + tronWallet: "network",
		"?network=x&wallet=y": "network"} {
		a := s.ask("GET", "/v1/validate-address"+query, "")
		a.is(t, 400, "invalid_parameters")
		if decodeReply(t, a.text).at("error.details.fields."+field) == nil {
			t.Errorf("%s: %s", query, a.text)
		}
	}
	s.ask("GET", "/v1/validate-address?network=Bitcoin&wallet=1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "").is(t, 503, "no_processor_configured")
	if s.count("select count(*) from payouts") != 0 {
		t.Error("a payout was made")
	}
}

// The reason given by a network reaches the sender of a payout.
func TestTheHintOfARefusedAddress(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §13: `3…` is Bitcoin's today")
	err := noDestination(fmt.Errorf("%w: %w", pay.ErrNoDestination, hinted{}))
	if err.Code != "invalid_format" || err.Message != "The wallet is not an address that can be paid to on this network: it begins with M." {
		t.Errorf("%s %s", err.Code, err.Message)
	}
	if plain := noDestination(pay.ErrNoDestination); plain != errWalletFormat {
		t.Errorf("%v", plain)
	}
}

type hinted struct{}

func (hinted) Error() string { return "of another network" }
func (hinted) Hint() string  { return "it begins with M" }
