package vault

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func keyOf(b byte) []byte { return bytes.Repeat([]byte{b}, KeySize) }

// Covers operator §Settings: SECRETS_KEY
func TestSealedValueOpensOnlyInItsPlace(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	sealed := v.Seal([]byte("sk_sign_x"), Where("keys", "k1", "signing_secret"))
	plain, err := v.Open(sealed, Where("keys", "k1", "signing_secret"))
	if err != nil || string(plain) != "sk_sign_x" {
		t.Fatalf("Open = %q, %v", plain, err)
	}
	if _, err := v.Open(sealed, Where("keys", "k2", "signing_secret")); !errors.Is(err, ErrSealed) {
		t.Errorf("another row: %v", err)
	}
	if bytes.Equal(sealed, v.Seal([]byte("sk_sign_x"), Where("keys", "k1", "signing_secret"))) {
		t.Error("two seals of one value are the same")
	}
}

func TestEveryAlteredByteIsRefused(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	sealed := v.Seal([]byte("secret"), "a")
	for i := range sealed {
		altered := bytes.Clone(sealed)
		altered[i] ^= 1
		if _, err := v.Open(altered, "a"); err == nil {
			t.Errorf("byte %d altered: opened", i)
		}
	}
	for n := range sealed {
		if _, err := v.Open(sealed[:n], "a"); err == nil {
			t.Errorf("cut to %d bytes: opened", n)
		}
	}
}

func TestOlderKeysStillOpenAndMatch(t *testing.T) {
	t.Parallel()
	before := New(keyOf(1))
	sealed, hash := before.Seal([]byte("s"), "a"), before.Hash("cw_live_x")
	after := New(keyOf(2), keyOf(1))
	if plain, err := after.Open(sealed, "a"); err != nil || string(plain) != "s" {
		t.Errorf("Open = %q, %v", plain, err)
	}
	if !after.Stale(sealed) || before.Stale(sealed) {
		t.Error("Stale does not tell the keys apart")
	}
	if !after.Equal("cw_live_x", hash) {
		t.Error("a hash under the older key does not match")
	}
	if _, err := New(keyOf(2)).Open(sealed, "a"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("without the older key: %v", err)
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	hash := v.Hash("key")
	if !v.Equal("key", hash) {
		t.Error("own hash does not match")
	}
	if v.Equal("other", hash) || v.Equal("key", nil) || v.Equal("key", []byte{}) || New(keyOf(2)).Equal("key", hash) {
		t.Error("matched what it must not")
	}
}

func TestAPIKeyForm(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	id, key := v.NewAPIKey()
	if len(key) != 69 || !strings.HasPrefix(key, "cw_live_"+id) || len(id) != 12 {
		t.Fatalf("id %q, key of %d characters", id, len(key))
	}
	if got, ok := v.ParseAPIKey(key); !ok || got != id {
		t.Fatalf("ParseAPIKey = %q, %v", got, ok)
	}
	other, _ := v.NewAPIKey()
	if other == id {
		t.Error("two keys share an id")
	}
}

func TestParseAPIKeyRefuses(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	_, key := v.NewAPIKey()
	_, marked := v.ForSandbox().NewAPIKey()
	swapped := []byte(key)
	swapped[20] = map[bool]byte{true: 'b', false: 'a'}[swapped[20] == 'a']
	for name, text := range map[string]string{
		"empty":     "",
		"checksum":  string(swapped),
		"short":     key[:68],
		"long":      key + "0",
		"prefix":    "cw_test_" + key[8:],
		"alphabet":  key[:30] + "-" + key[31:],
		"non-ASCII": key[:30] + "é" + key[32:],
		"10 KB":     strings.Repeat("a", 10<<10),
		"padded":    " " + key[:67] + " ",
		"sandbox's": marked,
	} {
		if _, ok := v.ParseAPIKey(text); ok {
			t.Errorf("%s: taken", name)
		}
	}
}

// A sandbox makes keys different from live ones by their text, and takes no others.
func TestSandboxKeysAreMarked(t *testing.T) {
	t.Parallel()
	v := New(keyOf(1))
	sandbox := v.ForSandbox()
	id, key := sandbox.NewAPIKey()
	if got, ok := sandbox.ParseAPIKey(key); !ok || got != id || !strings.HasPrefix(key, SandboxMark+id) {
		t.Errorf("%q: id %q, %v", key, got, ok)
	}
	_, live := v.NewAPIKey()
	if _, ok := sandbox.ParseAPIKey(live); ok {
		t.Error("a sandbox takes a live key")
	}
	if _, ok := v.ParseAPIKey(key); ok {
		t.Error("live books take a sandbox's key")
	}
}

func TestSecretsAreRandomAndBase62(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 200 {
		s := NewWebhookSecret()
		if len(s) != 49 || strings.Trim(s[6:], base62) != "" || seen[s] {
			t.Fatalf("bad secret %q", s)
		}
		seen[s] = true
	}
}

func TestNewPanicsOnAShortKey(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New([]byte("short"))
}
