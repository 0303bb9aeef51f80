package addresses_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
)

// TestSoftKeys compares keys, public keys from public data, and signatures with those of Cardano's library.
func TestSoftKeys(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "soft.json"))
	require.NoError(t, err)
	var all struct {
		Keys []struct {
			Seed                             string
			Account, Branch, Index           uint32
			XPub, Public, Message, Signature string
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all.Keys, 40)
	for _, v := range all.Keys {
		seed, err := hex.DecodeString(v.Seed)
		require.NoError(t, err)
		message, err := hex.DecodeString(v.Message)
		require.NoError(t, err)
		account, err := addresses.SoftAccount(seed, fmt.Sprintf("m/44'/501'/%d'", v.Account))
		require.NoError(t, err)
		require.Equal(t, v.XPub, account.XPub())
		child, err := account.Child(v.Branch, v.Index)
		require.NoError(t, err)
		public, err := addresses.FromSoftXPub(v.XPub, v.Branch, v.Index)
		require.NoError(t, err)
		require.Equal(t, v.Public, hex.EncodeToString(public))
		require.Equal(t, public, child.Public())
		signature := child.Sign(message)
		require.Equal(t, v.Signature, hex.EncodeToString(signature))
		require.True(t, ed25519.Verify(public, message, signature))
		require.False(t, ed25519.Verify(public, append(message, 1), signature))
	}
}

func TestSoftKeysThatAreNone(t *testing.T) {
	t.Parallel()
	seed := []byte("causeway tests: never fund this!")
	for _, path := range []string{"", "44'", "m/x", "m/2147483648'", "m//0'"} {
		_, err := addresses.SoftAccount(seed, path)
		require.ErrorIs(t, err, addresses.ErrPath, path)
	}
	for _, short := range [][]byte{nil, seed[:15], make([]byte, 65)} {
		_, err := addresses.SoftAccount(short, "m/44'")
		require.ErrorIs(t, err, addresses.ErrSeed)
	}
	account, err := addresses.SoftAccount(seed, "m/44'/501'/0'")
	require.NoError(t, err)
	for _, step := range [][2]uint32{{1 << 31, 0}, {0, 1 << 31}} {
		_, err := account.Child(step[0], step[1])
		require.ErrorIs(t, err, addresses.ErrPath)
		_, err = addresses.FromSoftXPub(account.XPub(), step[0], step[1])
		require.ErrorIs(t, err, addresses.ErrPath)
	}
	for _, wrong := range []string{"", "00", account.XPub() + "00", account.XPub()[:126] + "zz", "02" + fmt.Sprintf("%0126d", 0)} {
		_, err := addresses.FromSoftXPub(wrong, 0, 0)
		require.ErrorIs(t, err, addresses.ErrXPub, wrong)
	}
	account.Zero()
	require.Equal(t, new(addresses.SoftKey), account)
}
