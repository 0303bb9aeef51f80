package solana

import (
	"errors"
	"testing"

	"causeway/chains/addresses"
)

// TestOnlyMovesOfTheHotWalletAreSigned: whatever another part of the service asks for, the signer reads it again from its bytes.
func TestOnlyMovesOfTheHotWalletAreSigned(t *testing.T) {
	t.Parallel()
	account, err := addresses.SoftAccount([]byte("causeway tests: never fund this!"), AccountPath)
	if err != nil {
		t.Fatal(err)
	}
	hotKey, err := account.Child(hotBranch, 0)
	if err != nil {
		t.Fatal(err)
	}
	hot, mint, to := key(hotKey.Public()), mustKey("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"), mustKey("GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW")
	cfg := Defaults()
	cfg.Tokens = map[string]Token{"USDC": {mint.String(), 6}}
	c := &Connector{hot: hot}
	tables := tablesOf(cfg)
	watched := tables.bySymbol["USDC"]
	watched.program = &tokenProgram
	tables.byMint[mint] = watched
	c.known.Store(tables)
	s := &Sender{Connector: c, key: hotKey}
	of := func(owner, program key) key {
		at, err := associated(owner, mint, program)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	from, at := of(hot, tokenProgram), of(to, tokenProgram)
	fine := []instruction{limitUnits(1), priceUnits(2), transferCoin(hot, to, 3), createAccount(hot, at, to, mint, tokenProgram),
		transferToken(tokenProgram, from, mint, at, hot, 4, 6)}
	if _, err := s.signed(compile(hot, to, fine...)); err != nil {
		t.Errorf("a payment: %v", err)
	}
	nonce := instruction{systemProgram, []access{{to, false, true}, {hot, true, false}}, []byte{4, 0, 0, 0}}
	for name, call := range map[string]instruction{
		"close":               closeAccount(tokenProgram, from, to, hot),
		"another source":      transferToken(tokenProgram, at, mint, from, hot, 4, 6),
		"another mint":        transferToken(tokenProgram, from, to, at, hot, 4, 6),
		"another program":     transferToken(token2022Program, of(hot, token2022Program), mint, at, hot, 4, 6),
		"an owner given away": {tokenProgram, []access{{from, false, true}, {hot, true, false}}, append([]byte{6, 2, 1}, to[:]...)},
		"an approval":         {tokenProgram, []access{{from, false, true}, {to, false, false}, {hot, true, false}}, []byte{4, 1, 0, 0, 0, 0, 0, 0, 0}},
		"a durable nonce":     nonce,
		"an assignment":       {systemProgram, []access{{hot, true, true}}, append([]byte{1, 0, 0, 0}, to[:]...)},
		"a stranger's call":   {to, []access{{hot, true, true}}, nil},
		"another account":     createAccount(hot, to, to, mint, tokenProgram),
		"a longer transfer":   {systemProgram, []access{{hot, true, true}, {to, false, true}}, append(transferCoin(hot, to, 1).data, 0)},
		"a larger heap":       {budgetProgram, nil, []byte{1, 0, 0, 4, 0}},
	} {
		if _, err := s.signed(compile(hot, to, append(fine[:2:2], call)...)); !errors.Is(err, errForbidden) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	if _, err := s.signed(compile(to, to, fine...)); err == nil {
		t.Error("another payer: signed")
	}
	m := compile(hot, to, fine...)
	m.signers, m.foreign = 2, m.foreign-1
	if _, err := s.signed(m); err == nil {
		t.Error("two signers: signed")
	}
}
