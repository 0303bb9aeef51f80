package vault_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"causeway/internal/vault"
)

func sealKeyOf(b byte) []byte { return bytes.Repeat([]byte{b}, vault.KeySize) }

// A seal fits its own fields, in their order and with their borders, for its purpose, and no others.
//
// Covers operator §Settings: SEAL_KEY
func TestASealFitsItsFieldsAlone(t *testing.T) {
	t.Parallel()
	s := vault.NewSealer("payout", sealKeyOf(1))
	seal := s.Make("ab", "c", "")
	if err := s.Check(seal, "ab", "c", ""); err != nil {
		t.Fatal(err)
	}
	for _, fields := range [][]string{{"a", "bc", ""}, {"ab", "", "c"}, {"ab", "c"}, {"ab", "c", "", ""}, {"abc"}, {"ab", "C", ""}, nil} {
		if err := s.Check(seal, fields...); !errors.Is(err, vault.ErrBroken) {
			t.Errorf("%q: %v", fields, err)
		}
	}
	for _, broken := range [][]byte{nil, seal[:36], append(bytes.Clone(seal), 0), bytes.Repeat([]byte{1}, 37)[:5], make([]byte, len(seal))} {
		if err := s.Check(broken, "ab", "c", ""); !errors.Is(err, vault.ErrBroken) {
			t.Errorf("%x: %v", broken, err)
		}
	}
	for i := range seal {
		bent := bytes.Clone(seal)
		bent[i] ^= 1
		if s.Check(bent, "ab", "c", "") == nil {
			t.Errorf("byte %d may be another", i)
		}
	}
	if err := vault.NewSealer("another", sealKeyOf(1)).Check(seal, "ab", "c", ""); err == nil {
		t.Error("a seal fits two purposes")
	}
}

// While a key is replaced, seals of either key are checked by processes with both.
//
// Covers operator §Settings: SEAL_KEY
func TestSealsOfAnOlderKey(t *testing.T) {
	t.Parallel()
	old := vault.NewSealer("payout", sealKeyOf(1))
	both, fresh := vault.NewSealer("payout", sealKeyOf(2), sealKeyOf(1)), vault.NewSealer("payout", sealKeyOf(2))
	before, after := old.Make("x"), both.Make("x")
	if err := errors.Join(both.Check(before, "x"), both.Check(after, "x"), fresh.Check(after, "x")); err != nil {
		t.Error(err)
	}
	if err := fresh.Check(before, "x"); !errors.Is(err, vault.ErrUnknownKey) {
		t.Errorf("a key that is not there: %v", err)
	}
	if got := fresh.Missing(before, after, before, nil); len(got) != 1 {
		t.Errorf("missing keys: %v", got)
	}
}

// Seals made at once are those made one after the other: none is made of another's fields.
func TestSealsAtOnce(t *testing.T) {
	t.Parallel()
	s, alone := vault.NewSealer("payout", sealKeyOf(1)), vault.NewSealer("payout", sealKeyOf(1))
	var all sync.WaitGroup
	for of := range 4 {
		want := make([][]byte, 50)
		for i := range want {
			want[i] = alone.Make(strconv.Itoa(of), strings.Repeat("x", i))
		}
		all.Go(func() {
			for i := range 1000 {
				n := i % len(want)
				if got := s.Make(strconv.Itoa(of), strings.Repeat("x", n)); !bytes.Equal(got, want[n]) {
					t.Errorf("%d of %d: %x, want %x", n, of, got, want[n])
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkSeal(b *testing.B) {
	s := vault.NewSealer("payout", sealKeyOf(1))
	fields := []string{"0123456789abcdef", "0123456789abcdef", "0x52908400098527886E0F7030069857D2E4169EE7", "", "USDT", "Ethereum", "12.5", "13.625"}
	for b.Loop() {
		s.Make(fields...)
	}
}
