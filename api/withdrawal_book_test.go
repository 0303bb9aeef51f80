package api

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"causeway/chains/addresses"
	"causeway/internal/store"
)

// A merchant that withdraws to its book only is refused any other address, another memo, and an address of less than a day.
func TestWithdrawalsToTheBookOnly(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	n := s.withdrawal()
	check := func(what string, want error) {
		t.Helper()
		n.Form = uuid.New()
		if _, err := s.withdraws(n); !errors.Is(err, want) {
			t.Errorf("%s answers %v", what, err)
		}
	}
	check("no rule", nil)
	if err := s.store.SetBookRule(t.Context(), s.merchant, true); err != nil {
		t.Fatal(err)
	}
	check("an empty book", errNotInBook)
	a := &store.BookAddress{ID: uuid.New(), Network: n.Network, Address: n.Wallet, Name: "x"}
	if done, err := s.store.AddBookAddress(t.Context(), s.merchant, a); err != nil || !done {
		t.Fatal(done, err)
	}
	check("a new address", errBookNew)
	s.exec("update panel_book set added_at = now() - interval '1 day'")
	check("an older address", nil)
	n.Network = "Ethereum"
	n.Wallet = evmWallet
	check("an address of another network", errNotInBook)
	*n = *s.withdrawal()
	s.exec("update panel_book set ended_at = now()")
	check("an address that was removed", errNotInBook)
	if s.count("select count(*) from payouts") != 2 {
		t.Error("a refused withdrawal was recorded")
	}
}

// Destinations that differ in their tags are two, however they are written; spellings of one are one.
func TestPlacesOfABook(t *testing.T) {
	t.Parallel()
	const (
		classic = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
		tagged  = "XVPcpSm47b1CZkf5AkKM9a84dQHe3mTAxgxfLw2qYoe7Boa" // tag 1
		lower   = "0x52908400098527886e0f7030069857d2e4169ee7"
		mixed   = "0x52908400098527886E0F7030069857D2E4169EE7"
	)
	place := func(network, address, memo string) bookPlace { return placeOf(realSpelling{}, network, address, memo) }
	if place("Ripple", tagged, "") == place("Ripple", classic, "") || place("Ripple", classic, "00000001") == place("Ripple", classic, "00000002") {
		t.Error("destinations of two tags are one")
	}
	if place("Ripple", classic, "00000001") != place("Ripple", classic, "1") {
		t.Error("a tag with leading zeros is another destination")
	}
	if place("Ethereum", lower, "") != place("Ethereum", mixed, "") || place("Ethereum", lower, "") == place("BSC", lower, "") {
		t.Error("spellings of an address are two, or networks are one")
	}
}

// realSpelling spells addresses as the connectors do.
type realSpelling struct{}

func (realSpelling) Validate(network, address string) (string, error) {
	return addresses.Validate(network, address)
}

func (realSpelling) Match(network, address string) string { return addresses.Match(network, address) }

func (realSpelling) Tag(network, address string) (string, bool) {
	_, tag, ok := addresses.Tag(network, address)
	return tag, ok
}
