package remotesigner_test

import (
	"bufio"
	"crypto/ecdsa"
	"encoding/asn1"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// TestMain is also the program that signs: the tests start themselves with a habit.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "sign" {
		line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
		if err != nil {
			panic(err)
		}
		if os.Args[2] == "fails" {
			fmt.Fprintln(os.Stderr, "the HSM is locked")
			os.Exit(3)
		}
		fmt.Println(habits[os.Args[2]](line))
		return
	}
	os.Exit(m.Run())
}

// ours and another's are keys of these tests.
var (
	ours     = keyOf(1)
	anothers = keyOf(2)
)

func keyOf(n byte) *ecdsa.PrivateKey {
	secret := make([]byte, 32)
	secret[31] = n
	key, err := crypto.ToECDSA(secret)
	if err != nil {
		panic(err)
	}
	return key
}

// habits are signers: each answers a question.
var habits = map[string]func(question []byte) string{
	"right":          func(q []byte) string { return says(signed(q, ours)) },
	"without v":      func(q []byte) string { return says(signed(q, ours)[:64]) },
	"a wrong v":      func(q []byte) string { return says(append(signed(q, ours)[:64], 29)) },
	"as DER":         func(q []byte) string { return says(der(signed(q, ours))) },
	"another's key":  func(q []byte) string { return says(signed(q, anothers)) },
	"another digest": func([]byte) string { return says(signed([]byte(`{"digest": "0x`+zeros+`"}`), ours)) },
	"a high s":       func(q []byte) string { return says(high(signed(q, ours))) },
	"a high s, DER":  func(q []byte) string { return says(der(high(signed(q, ours)))) },
	"zeros":          func([]byte) string { return says(make([]byte, 65)) },
	"too short":      func(q []byte) string { return says(signed(q, ours)[:63]) },
	"too long":       func(q []byte) string { return says(append(signed(q, ours), 0)) },
	"no hex":         func([]byte) string { return `{"signature": "MEUCIQ=="}` },
	"no signature":   func([]byte) string { return `{}` },
	"no JSON":        func([]byte) string { return "signed" },
	"nothing":        func([]byte) string { return "" },
	"an error":       func([]byte) string { return `{"error": "over the limit of the day"}` },
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func says(signature []byte) string {
	return fmt.Sprintf(`{"signature": "%s"}`, hexutil.Encode(signature))
}

// signed signs the digest of a question with a key.
func signed(question []byte, key *ecdsa.PrivateKey) []byte {
	var q struct{ Digest hexutil.Bytes }
	if err := json.Unmarshal(question, &q); err != nil {
		panic(err)
	}
	signature, err := crypto.Sign(q.Digest, key)
	if err != nil {
		panic(err)
	}
	return signature
}

// high is the other valid signature of the same key and digest.
func high(signature []byte) []byte {
	s := new(big.Int).SetBytes(signature[32:64])
	out := append([]byte{}, signature...)
	new(big.Int).Sub(crypto.S256().Params().N, s).FillBytes(out[32:64])
	out[64] ^= 1
	return out
}

func der(signature []byte) []byte {
	out, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:64])})
	if err != nil {
		panic(err)
	}
	return out
}
