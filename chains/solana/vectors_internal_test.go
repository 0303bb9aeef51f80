package solana

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// vector is a transaction as @solana/web3.js and @solana/spl-token build and sign it (testdata/README.md).
type vector struct {
	Kind, Hot, Deposit, To, Mint, Program, Units, Blockhash, Raw, Txid string

	Limit uint32
	Price uint64
}

// vectors are the contents of testdata/vectors.json.
type vectors struct {
	Transactions []vector
	Associated   []struct{ Owner, Mint, Program, At string }
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil || len(v.Transactions) != 200 || len(v.Associated) != 50 {
		t.Fatal(len(v.Transactions), len(v.Associated), err)
	}
	return v
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	out, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plain is a key of ed25519 by itself.
type plain ed25519.PrivateKey

func (p plain) Public() []byte { return p[ed25519.SeedSize:] }

func (p plain) Sign(message []byte) []byte { return ed25519.Sign(ed25519.PrivateKey(p), message) }

// signed builds the transaction of a vector by our own code.
func (v vector) signed(t testing.TB) *transaction {
	t.Helper()
	hotKey, depositKey := plain(ed25519.NewKeyFromSeed(unhex(t, v.Hot))), plain(ed25519.NewKeyFromSeed(unhex(t, v.Deposit)))
	hot, deposit := key(hotKey.Public()), key(depositKey.Public())
	to, mint, program := mustKey(v.To), mustKey(v.Mint), mustKey(v.Program)
	units, err := strconv.ParseUint(v.Units, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	of := func(owner key) key {
		k, err := associated(owner, mint, program)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	all := []instruction{limitUnits(v.Limit), priceUnits(v.Price)}
	switch v.Kind {
	case "coin":
		all = append(all, transferCoin(hot, to, units))
	case "token":
		all = append(all, transferToken(program, of(hot), mint, of(to), hot, units, 6))
	case "token-new":
		all = append(all, createAccount(hot, of(to), to, mint, program), transferToken(program, of(hot), mint, of(to), hot, units, 6))
	case "sweep-coin":
		all = append(all, transferCoin(deposit, hot, units))
	case "sweep-token":
		all = append(all, transferToken(program, of(deposit), mint, of(hot), deposit, units, 6), closeAccount(program, of(deposit), hot, deposit))
	case "nothing":
	default:
		t.Fatal(v.Kind)
	}
	out, err := sign(compile(hot, mustKey(v.Blockhash), all...), hotKey, depositKey)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVectorsOfWeb3: 200 transactions have byte by byte what the libraries of Solana write, with the same ids and signatures.
func TestVectorsOfWeb3(t *testing.T) {
	t.Parallel()
	for i, v := range readVectors(t).Transactions {
		ours, raw := v.signed(t), unhex(t, v.Raw)
		if !bytes.Equal(ours.encode(), raw) || ours.id() != v.Txid {
			t.Fatalf("%d, %s: %s\n%x, want %s\n%s", i, v.Kind, ours.id(), ours.encode(), v.Txid, v.Raw)
		}
		read, err := readTransaction(raw)
		if err != nil {
			t.Fatalf("%d, %s: %v", i, v.Kind, err)
		}
		if !bytes.Equal(read.encode(), raw) || !bytes.Equal(read.message.encode(), read.signed) || read.verify() != nil {
			t.Errorf("%d, %s: read as another one", i, v.Kind)
		}
		again := compile(read.message.keys[0], read.message.recent, read.message.instructions()...)
		if !bytes.Equal(again.encode(), read.signed) {
			t.Errorf("%d, %s: compiled again as another one", i, v.Kind)
		}
		raw[len(raw)-1]++
		if read, err := readTransaction(raw); err == nil && read.verify() == nil {
			t.Errorf("%d, %s: another last byte, and the signature holds", i, v.Kind)
		}
	}
}

func TestAccountsOfTokens(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Associated {
		got, err := associated(mustKey(v.Owner), mustKey(v.Mint), mustKey(v.Program))
		if err != nil || got.String() != v.At {
			t.Errorf("%s of %s: %s, %v, want %s", v.Mint, v.Owner, got, err, v.At)
		}
		if got.onCurve() || !mustKey(v.Owner).onCurve() {
			t.Errorf("%s: on the curve %v, its owner %v", got, got.onCurve(), mustKey(v.Owner).onCurve())
		}
	}
}

func TestNamesOfAccountsAndTransactions(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Transactions[:20] {
		id, ok := readSignature(v.Txid)
		if !ok || id.String() != v.Txid || !isHash(v.Blockhash) || isHash(v.Txid) || isHash(v.Txid[:44]+"0") {
			t.Errorf("%s is read as %s, %v", v.Txid, id, ok)
		}
		for _, wrong := range []string{"", v.Txid[1:30], v.Txid + "1", v.To, strings.Repeat("z", 88), "0" + v.Txid[1:]} {
			if _, ok := readSignature(wrong); ok {
				t.Errorf("%q is read as the id of a transaction", wrong)
			}
		}
	}
	for _, program := range []key{systemProgram, tokenProgram, token2022Program, associatedProgram, budgetProgram} {
		if again, ok := readKey(program.String()); !ok || again != program {
			t.Errorf("%s is read as %s", program, again)
		}
	}
}
