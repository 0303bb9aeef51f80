package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// typesOf are the types of addendum §9 with their labels, and the networks each serves, of api-v1 §Network names.
var typesOf = []struct{ kind, label, networks string }{
	{"evm", "EVM", "Ethereum BinanceSmartChain Polygon Avalanche ArbitrumOne Celo Optimism Arbitrum Cronos Base OpBnb Xlayer"},
	{"bitcoin", "Bitcoin", "Bitcoin"}, {"litecoin", "Litecoin", "Litecoin"}, {"dogecoin", "Dogecoin", "Dogecoin"},
	{"bitcoincash", "Bitcoin Cash", "BitcoinCash"}, {"bitcoinsv", "Bitcoin SV", "BitcoinSV"}, {"bitcoingold", "Bitcoin Gold", "BitcoinGold"},
	{"tron", "Tron", "Tron"}, {"solana", "Solana", "Solana"}, {"ripple", "Ripple", "Ripple"}, {"cardano", "Cardano", "Cardano"},
	{"ton", "TON", "TON"}, {"monero", "Monero", "Monero"},
}

func TestWalletTypes(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §9: Types: evm, bitcoin", "addendum §9: GET /v1/fixed-wallets/supported", "api-v1 §Other operations: GET /v1/fixed-wallets/supported")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 100")
	got := s.get("/v1/fixed-wallets/supported")
	if len(got) != 3 || len(got.list("types")) != len(typesOf) {
		t.Fatalf("%d types in %v", len(got.list("types")), slices.Sorted(maps.Keys(got)))
	}
	for i, want := range typesOf {
		one := reply(got.list("types")[i].(map[string]any))
		one.wants(t, map[string]any{"type": want.kind, "label": want.label})
		if networks := fmt.Sprint(one["networks"]); networks != "["+want.networks+"]" || len(one) != 4 {
			t.Errorf("%s serves %s: %v", want.kind, networks, one)
		}
		tokens := s.count("select count(*) from tokens where network in (select * from unnest(string_to_array(?, ' ')))", want.networks)
		if len(one.list("accepted_tokens")) != tokens {
			t.Errorf("%s takes %d tokens, want %d", want.kind, len(one.list("accepted_tokens")), tokens)
		}
		s.takes(want.kind, want.networks)
	}
	s.exec("update tokens set deposits = false where network = 'Cardano'")
	for _, one := range s.get("/v1/fixed-wallets/supported").list("types") {
		if one.(map[string]any)["type"] == "cardano" {
			t.Error("a type without an open token is supported")
		}
	}
}

// takes assigns a wallet of a type and checks the networks in its record.
func (s *shop) takes(kind, networks string) {
	s.t.Helper()
	status, got := s.wallet(kind, "customer-of-"+kind)
	if status != 201 || fmt.Sprint(got.at("wallet.networks")) != "["+networks+"]" {
		s.t.Errorf("%s: %d %v", kind, status, got)
	}
	for _, token := range got.list("wallet.accepted_tokens") {
		token := token.(map[string]any)
		if len(token) != 3 || !slices.Contains(strings.Fields(networks), token["network"].(string)) || token["symbol"] == "" || token["token"] == "" {
			s.t.Errorf("%s accepts %v", kind, token)
		}
	}
}

func TestMessagesOfFixedWallets(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: Messages of success of fixed wallets", "api-v1 §Versioning: breaking · Messages of success")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 100")
	for _, c := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"GET", "/v1/fixed-wallets/supported", "", 200, "fixed_wallets_supported_success"},
		{"GET", "/v1/fixed-wallets", "", 200, "fixed_wallets_list_success"},
		{"GET", "/v1/fixed-wallets/config", "", 200, "fixed_wallets_config_success"},
		{"PUT", "/v1/fixed-wallets/config", `{"webhook_url":null}`, 200, "fixed_wallets_config_update_success"},
		{"POST", "/v1/fixed-wallets", `{"type":"tron","customer_info":"c"}`, 201, "fixed_wallets_assign_success"},
		{"POST", "/v1/fixed-wallets", `{"type":"tron","customer_info":"c"}`, 200, "fixed_wallets_already_assigned"},
	} {
		if status, got := s.call(c.method, c.path, c.body); status != c.status || got["message"] != c.message {
			t.Errorf("%s %s: %d %v, want %s", c.method, c.path, status, got["message"], c.message)
		}
	}
}

func TestWalletsOfThePanelAreLeftOut(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §GET /v1/fixed-wallets: Addresses that the API assigned", "api-v1 §Fixed wallet record: mode global")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 3")
	for _, customer := range []string{"first", "second", "panel"} {
		if status, got := s.wallet("tron", customer); status != 201 {
			t.Fatal(got)
		}
	}
	s.exec("update wallets set origin = 'panel' where customer_info = 'panel'")
	s.get("/v1/fixed-wallets").wants(t, map[string]any{
		"count": 2, "wallets.0.customer_info": "second", "wallets.1.customer_info": "first", "wallets.2": nil,
		"allowance.used": 2, "allowance.remaining": 1,
	})
}

// A customer with a revoked wallet gets another address: the old one is nobody's.
func TestARevokedAddressIsNotGivenAgain(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §9: Inactivity", "api-v1 §Fixed wallet: STATUS_ASSIGNED until")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 10")
	seen := map[any]bool{}
	for range 3 {
		for _, customer := range []string{"one", "two"} {
			status, got := s.wallet("tron", customer)
			if address := got.at("wallet.wallet"); status != 201 || seen[address] {
				t.Errorf("%d %v", status, got)
			} else {
				seen[address] = true
			}
		}
		s.exec("update wallets set status = 'STATUS_REVOKED', revoke_at = now()")
	}
	s.get("/v1/fixed-wallets").wants(t, map[string]any{"count": 6, "wallets.0.status": "STATUS_REVOKED", "wallets.0.pending_revocation": false})
}
