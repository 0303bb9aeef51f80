package api

import (
	"net/url"
	"strings"
	"testing"

	"causeway/internal/contract"
)

// What is called valid is what a payout takes, for each kind of refusal that its wallet can have.
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
