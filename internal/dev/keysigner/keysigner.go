// Package keysigner is a signer for tests, as a program and as a server: it has a seed, and signs all that it is asked for. An operator's
// own would look at what it signs.
package keysigner

import (
	"bufio"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// Run is the TestMain of a package whose test program is the signer's as well, under the argument "sign": it reads a question from its
// input, and writes the answer.
func Run(m *testing.M, seed []byte) {
	if len(os.Args) != 2 || os.Args[1] != "sign" {
		os.Exit(m.Run())
	}
	line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err != nil {
		fmt.Println(`{"error": "no question"}`)
		return
	}
	fmt.Println(answer(line, seed))
}

// Start starts a server that signs for a seed, until the test ends, and counts its questions.
func Start(t testing.TB, seed []byte) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		line, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, answer(line, seed))
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func answer(line, seed []byte) string {
	var q struct {
		Path   string
		Digest hexutil.Bytes
		Curve  string
	}
	if err := json.Unmarshal(line, &q); err != nil || q.Curve != "secp256k1" && q.Curve != "ed25519" {
		return `{"error": "what is asked?"}`
	}
	if q.Curve == "ed25519" {
		key, err := hardenedKey(seed, q.Path)
		if err != nil {
			return `{"error": "no such path"}`
		}
		return fmt.Sprintf(`{"signature": "%s"}`, hexutil.Encode(ed25519.Sign(key, q.Digest)))
	}
	secret, err := addresses.PrivateFromSeed(seed, q.Path)
	if err != nil {
		return `{"error": "no such path"}`
	}
	key, err := crypto.ToECDSA(secret)
	if err != nil {
		return `{"error": "no such key"}`
	}
	signature, err := crypto.Sign(q.Digest, key)
	if err != nil {
		return `{"error": "no such digest"}`
	}
	return fmt.Sprintf(`{"signature": "%s"}`, hexutil.Encode(signature))
}

// hardenedKey derives a key of Ed25519 by SLIP-10, which knows hardened steps alone.
func hardenedKey(seed []byte, path string) (ed25519.PrivateKey, error) {
	node := digest([]byte("ed25519 seed"), seed)
	for _, step := range strings.Split(strings.TrimPrefix(path, "m/"), "/") {
		n, err := strconv.ParseUint(strings.TrimSuffix(step, "'"), 10, 31)
		if err != nil || !strings.HasSuffix(step, "'") {
			return nil, fmt.Errorf("step %q", step)
		}
		node = digest(node[32:], binary.BigEndian.AppendUint32(append([]byte{0}, node[:32]...), uint32(n)|1<<31))
	}
	return ed25519.NewKeyFromSeed(node[:32]), nil
}

func digest(key, data []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(data)
	return h.Sum(nil)
}
