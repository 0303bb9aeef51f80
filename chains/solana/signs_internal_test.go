package solana

import (
	"errors"
	"testing"

	"causeway/chains/addresses"
)

// signer is a sender without a node, that watches USDC.
type signer struct {
	*Sender
	mint, to key
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	account, err := addresses.SoftAccount([]byte("causeway tests: never fund this!"), AccountPath)
	if err != nil {
		t.Fatal(err)
	}
	hotKey, err := account.Child(hotBranch, 0)
	if err != nil {
		t.Fatal(err)
	}
	mint, to := mustKey("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"), mustKey("GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW")
	cfg := Defaults()
	cfg.Tokens = map[string]Token{"USDC": {mint.String(), 6}}
	c := &Connector{hot: key(hotKey.Public())}
	tables := tablesOf(cfg)
	watched := tables.bySymbol["USDC"]
	watched.program = &tokenProgram
	tables.byMint[mint] = watched
	c.known.Store(tables)
	return &signer{&Sender{Connector: c, account: account, key: hotKey}, mint, to}
}

// of is the account of USDC of an owner.
func (s *signer) of(t *testing.T, owner, program key) key {
	t.Helper()
	at, err := associated(owner, s.mint, program)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestOnlyMovesOfTheHotWalletAreSigned: whatever another part of the service asks for, the signer reads it again from its bytes.
func TestOnlyMovesOfTheHotWalletAreSigned(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	hot, mint, to, hotKey := s.hot, s.mint, s.to, s.key
	from, at := s.of(t, hot, tokenProgram), s.of(t, to, tokenProgram)
	fine := []instruction{limitUnits(1), priceUnits(2), transferCoin(hot, to, 3), createAccount(hot, at, to, mint, tokenProgram),
		transferToken(tokenProgram, from, mint, at, hot, 4, 6)}
	if _, err := s.signed(compile(hot, to, fine...), hot, hotKey); err != nil {
		t.Errorf("a payment: %v", err)
	}
	nonce := instruction{systemProgram, []access{{to, false, true}, {hot, true, false}}, []byte{4, 0, 0, 0}}
	for name, call := range map[string]instruction{
		"close":               closeAccount(tokenProgram, from, to, hot),
		"another source":      transferToken(tokenProgram, at, mint, from, hot, 4, 6),
		"another mint":        transferToken(tokenProgram, from, to, at, hot, 4, 6),
		"another program":     transferToken(token2022Program, s.of(t, hot, token2022Program), mint, at, hot, 4, 6),
		"an owner given away": {tokenProgram, []access{{from, false, true}, {hot, true, false}}, append([]byte{6, 2, 1}, to[:]...)},
		"an approval":         {tokenProgram, []access{{from, false, true}, {to, false, false}, {hot, true, false}}, []byte{4, 1, 0, 0, 0, 0, 0, 0, 0}},
		"a durable nonce":     nonce,
		"an assignment":       {systemProgram, []access{{hot, true, true}}, append([]byte{1, 0, 0, 0}, to[:]...)},
		"a stranger's call":   {to, []access{{hot, true, true}}, nil},
		"another account":     createAccount(hot, to, to, mint, tokenProgram),
		"a longer transfer":   {systemProgram, []access{{hot, true, true}, {to, false, true}}, append(transferCoin(hot, to, 1).data, 0)},
		"a larger heap":       {budgetProgram, nil, []byte{1, 0, 0, 4, 0}},
	} {
		if _, err := s.signed(compile(hot, to, append(fine[:2:2], call)...), hot, hotKey); !errors.Is(err, errForbidden) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	if _, err := s.signed(compile(to, to, fine...), hot, hotKey); err == nil {
		t.Error("another payer: signed")
	}
	m := compile(hot, to, fine...)
	m.signers, m.foreign = 2, m.foreign-1
	if _, err := s.signed(m, hot, hotKey); err == nil {
		t.Error("two signers: signed")
	}
}

// TestDepositsGoToTheHotWalletAlone: a deposit address signs nothing else.
func TestDepositsGoToTheHotWalletAlone(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	hot, mint, to, hotKey := s.hot, s.mint, s.to, s.key
	from, at := s.of(t, hot, tokenProgram), s.of(t, to, tokenProgram)
	child, err := s.account.Child(depositBranch, 5)
	if err != nil {
		t.Fatal(err)
	}
	owner := key(child.Public())
	theirs := s.of(t, owner, tokenProgram)
	sweep := []instruction{limitUnits(1), priceUnits(2), createAccount(hot, from, hot, mint, tokenProgram),
		transferToken(tokenProgram, theirs, mint, from, owner, 4, 6), closeAccount(tokenProgram, theirs, hot, owner)}
	if _, err := s.signed(compile(hot, to, sweep...), owner, child, hotKey); err != nil {
		t.Errorf("a sweep: %v", err)
	}
	if _, err := s.signed(compile(owner, to, transferCoin(owner, hot, 4)), owner, child); err != nil {
		t.Errorf("a sweep of SOL: %v", err)
	}
	for name, call := range map[string]instruction{
		"tokens of it to a stranger":     transferToken(tokenProgram, theirs, mint, at, owner, 4, 6),
		"its rent to a stranger":         closeAccount(tokenProgram, theirs, to, owner),
		"SOL of it to a stranger":        transferCoin(owner, to, 4),
		"SOL of the hot wallet":          transferCoin(hot, owner, 4),
		"tokens of the hot wallet":       transferToken(tokenProgram, from, mint, theirs, hot, 4, 6),
		"an account of a stranger":       createAccount(hot, at, to, mint, tokenProgram),
		"an account of the hot wallet's": closeAccount(tokenProgram, from, hot, hot),
	} {
		if _, err := s.signed(compile(hot, to, call), owner, child, hotKey); !errors.Is(err, errForbidden) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
}
