package cardano

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// vector is a transaction as Cardano's serialization library builds and signs it.
type vector struct {
	Seed, XPub, Hot, Deposit string
	Inputs                   []struct {
		ID                 string
		Index, Branch, Key uint32
	}
	Outputs []struct{ Address, Lovelace string }
	Fee     string
	TTL     uint64
	Txid    string
	Raw     string
	MinADA  string
}

func vectors(t *testing.T) (all []vector) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all, 120)
	return all
}

// TestBytesOfVectors compares addresses, ids, signatures and bytes with those of the library.
func TestBytesOfVectors(t *testing.T) {
	t.Parallel()
	for i, v := range vectors(t) {
		seed, err := hex.DecodeString(v.Seed)
		require.NoError(t, err)
		account, err := addresses.SoftAccount(seed, AccountPath)
		require.NoError(t, err)
		require.Equal(t, v.XPub, account.XPub())
		hot, err := addressAt(v.XPub, hotBranch, 0)
		require.NoError(t, err)
		require.Equal(t, v.Hot, hot)
		b := body{TTL: v.TTL, Fee: number(t, v.Fee)}
		keys := map[[2]uint32]bool{}
		var order [][2]uint32
		for _, in := range v.Inputs {
			id, ok := hashOf(in.ID)
			require.True(t, ok)
			b.Inputs = append(b.Inputs, input{ID: id, Index: in.Index})
			if at := [2]uint32{in.Branch, in.Key}; !keys[at] {
				keys[at], order = true, append(order, at)
			}
		}
		for _, o := range v.Outputs {
			to, err := addresses.CardanoBytes(o.Address)
			require.NoError(t, err, o.Address)
			b.Outputs = append(b.Outputs, output{Address: to, Lovelace: number(t, o.Lovelace)})
		}
		raw, id := b.write()
		require.Equal(t, v.Txid, id.String(), "vector %d", i)
		var by []signature
		for _, at := range order {
			key, err := account.Child(at[0], at[1])
			require.NoError(t, err)
			by = append(by, signature{Public: key.Public(), Signature: key.Sign(id[:])})
		}
		whole := signed(raw, by)
		require.Equal(t, v.Raw, hex.EncodeToString(whole), "vector %d", i)
		again, err := parse(whole)
		require.NoError(t, err)
		require.Equal(t, b, again.body)
		require.Equal(t, int64(number(t, v.MinADA)), params{perByte: 4310}.least(b.Outputs[0]))
	}
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// TestParseTakesItsOwnFormAlone changes bytes of a transaction: what is read again is written the same.
func TestParseTakesItsOwnFormAlone(t *testing.T) {
	t.Parallel()
	raw, err := hex.DecodeString(vectors(t)[0].Raw)
	require.NoError(t, err)
	for _, wrong := range [][]byte{nil, {0}, raw[1:], raw[:len(raw)-1], append(append([]byte{}, raw...), 0), []byte("no transaction")} {
		_, err := parse(wrong)
		require.Error(t, err)
	}
	for at := range raw {
		changed := append([]byte{}, raw...)
		changed[at] ^= 1
		if got, err := parse(changed); err == nil {
			_, id := got.write()
			require.Equal(t, got.id, id)
		}
	}
}

// TestTheLeastPayoutFitsEveryAddress: what the API takes is no less than an output may be, at the longest address too.
func TestTheLeastPayoutFitsEveryAddress(t *testing.T) {
	t.Parallel()
	n, _ := pay.NetworkNamed(Network)
	units := uint64(n.Least / 100)
	all := []string{"DdzFFzCqrht4PWfBGtmrQz4x1GkZHYLVGbK7aaBkjWxujxzz3L5GxCgPiTsks5RjUr3yX9KvwKjNJBt7ZzPCmS3fUQrGeRvo9Y1YBQKQ"} // of Byron's era, and long
	for _, v := range vectors(t) {
		for _, o := range v.Outputs {
			all = append(all, o.Address)
		}
	}
	for _, address := range all {
		to, err := addresses.CardanoBytes(address)
		require.NoError(t, err)
		require.LessOrEqual(t, params{perByte: 4310}.least(output{Address: to, Lovelace: units}), int64(units))
	}
	to, err := addresses.CardanoBytes(all[0])
	require.NoError(t, err)
	require.Greater(t, len(to), longAddress)
}
