package remotesigner_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/remotesigner"
)

// edwards is a key of these tests, by its number.
func edwards(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

// TestEd25519: a signature of the digest by the key is taken, and every other answer is an error of a network that is down for now. The
// question names the curve.
func TestEd25519(t *testing.T) {
	t.Parallel()
	const path = "m/44'/607'/0'"
	public := edwards(1).Public().(ed25519.PublicKey)
	want := ed25519.Sign(edwards(1), digest[:])
	unreduced := bytes.Clone(want) // the same signature with the order of the group added to its scalar
	order := []byte{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 31: 0x10}
	carry := 0
	for i := range order {
		sum := int(unreduced[32+i]) + int(order[i]) + carry
		unreduced[32+i], carry = byte(sum), sum>>8
	}
	for name, c := range map[string]struct {
		answer, want string
	}{
		"right":               {says(want), ""},
		"another's key":       {says(ed25519.Sign(edwards(2), digest[:])), "by another key"},
		"another digest":      {says(ed25519.Sign(edwards(1), make([]byte, 32))), "of another digest"},
		"of another form":     {says(unreduced), "by another key"},
		"too short":           {says(want[:63]), "has 64 bytes, not 63"},
		"too long":            {says(append(bytes.Clone(want), 0)), "has 64 bytes, not 65"},
		"of the other curve":  {says(signed(fmt.Appendf(nil, `{"digest":"0x%x"}`, digest), ours)), "has 64 bytes, not 65"},
		"no hex":              {`{"signature": "MEUCIQ=="}`, "not in hex"},
		"an error":            {`{"error": "over the limit of the day"}`, "over the limit of the day"},
		"no JSON":             {"signed", "the answer is not"},
		"no signature at all": {`{}`, "not in hex"},
	} {
		var asked map[string]string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			question, _ := io.ReadAll(r.Body)
			_ = json.Unmarshal(question, &asked)
			fmt.Fprint(w, c.answer)
		}))
		t.Cleanup(server.Close)
		got, err := remotesigner.New(remotesigner.Config{URL: server.URL}, "").Ed25519(path, digest, public)
		require.Equal(t, map[string]string{"path": path, "digest": hexutil.Encode(digest[:]), "curve": "ed25519"}, asked, name)
		if c.want == "" {
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
			continue
		}
		require.ErrorIs(t, err, chains.ErrDown, name)
		require.ErrorContains(t, err, c.want, name)
		require.Nil(t, got, name)
	}
}
