package monero

import (
	"encoding/hex"
	"testing"

	"filippo.io/edwards25519"
)

// The vectors are answers of monero-wallet-rpc and monerod 0.18.5.3 on a chain for trials: create_address, get_transactions, get_block.
const (
	recordedView = "42W7HMRoZtiQqAWRBJvdkZMqtgzQRVehuZHjP44ZaiDv1Dc4cyGXcqFX4gtu7hsvYTJPZ5ZYEN9MAQXQ78wz7w5898ojqQm:" +
		"292a67acba6e8bc43d66e38bc1ed1d4ec93581ea70564dc49c0e67fb44768505"
	recordedTx = "0200020200100103010101020301020301010204010398884be991ef2ee1b00bfbf37c33bd9da699393586da02c8de2731f885e6528302001000020103" +
		"020303010301010203010301778703a347c2941a652e02ce2680ffa568e3f827b5f128e253b0027fed59692c03000359a50763e1cb55b71cbf58fd70455bc8" +
		"1a18288b39ce2f2ce77e73ea911a20a6f5000368d4a0bf62bdd54f1f98736fe02bf61c6751894b4f5f3350f962a1afbb25f8c78b0003c18d4b70d5aef92789b" +
		"460e59e1f143933f9406bc25a49b5bf77e51bb07a8183b52101b8ae54ff66f0376eb331afc32c5bdedbaee202b15cfdea3353df38b37195d8370680feeca70c" +
		"1064f9ee9ab63058f66f91771973abb53cd67e6bb870a3829aa8725427cfea116749e1f0d4c38f6bd34b70a01a1f468d04259290807deefc51024dfa7042b3b" +
		"fb0dd4e95cc9a6b16aa2b9d33344b5d403e1f15c2a14f4d1e86b2b0b98f2a67dc825abc233d2430ec75b91dfb7e4222e68009d047b70cdc19"
	recordedProofs = "efd919d0a58acc89719d24d1c62ac387680e893a1a56568fee80a1942a683f52"
	recordedID     = "e9198b52b51de51552720e171318404a460ca5860ce3b0bdcf7c8a6be436b34d"
	recordedBlock  = "101088f5a9d8067c589f9846b3fde2e07cdb7f72193c2d65eb3e6c59b6a38eacb1353c1e2ec34a0000000002970101ff5b01e2cf8cd8f5ff070313b191375" +
		"41d52ff80c0f77d2f24d2406a582c1b73bcd7903bd3619538290960042401b0f9ce5860f469ac7c86d8caf32be94f95c6cccb26b20ac4c075240d1074c3840201" +
		"000001e9198b52b51de51552720e171318404a460ca5860ce3b0bdcf7c8a6be436b34d"
	recordedBlockID = "b250abebbf7e739a8015f7190b2accfbf63a9e837d234d74066e4926a740c5ca"
)

var recordedSubaddresses = []string{
	"88RedMtLpbhCuZhN3bM99jJowujwbGFX36jVigk7pUL1CBYYDEV9rAD7C2DsFSM7BnJ56MQkhVhfLD7hsmmeZmXmDWpwwtj",
	"8BxgqedqYvA8EKZuEjrwSXhk5wUvMz4nAWJR9uvrquuT7RrvdCSM5VWa5D2TNV2mtFa2AqmvLVhNFX8v8n3yXMXyJfnS9nz",
	"89L59fBbhaW64e3mcYvZZeaoSemKG2Mn1brHy62KEpJYBNuNEq3Lt8Jfgwm5rZdB82cwXbPhx77ZRSXAGucmKJMs6hpJhPX",
}

func TestSubaddressesAreThoseOfTheWallet(t *testing.T) {
	t.Parallel()
	v := viewOf(t, recordedView)
	c := &Connector{view: v}
	for i, want := range recordedSubaddresses {
		if got, err := c.Derive(t.Context(), uint32(i)); err != nil || got != want {
			t.Errorf("deposit address %d is %s, %v, want %s", i, got, err, want)
		}
	}
	if v.text() != recordedView {
		t.Errorf("the view is written %s", v.text())
	}
}

func TestViewsThatAreNone(t *testing.T) {
	t.Parallel()
	other := "292a67acba6e8bc43d66e38bc1ed1d4ec93581ea70564dc49c0e67fb44768506"
	for _, text := range []string{"", recordedView[:95], recordedSubaddresses[0] + recordedView[95:], recordedView[:96] + other, recordedView[:96] + "00", recordedView + "00"} {
		if _, err := readView(text); err == nil {
			t.Errorf("%q is read as a view", text)
		}
	}
}

func TestRecordedTransaction(t *testing.T) {
	t.Parallel()
	tx := recorded(t)
	if tx.id.String() != recordedID || tx.fee != 3304800000 || len(tx.images) != 2 {
		t.Fatalf("transaction %s with a fee of %d and %d images", tx.id, tx.fee, len(tx.images))
	}
	want := []arrival{{place: 0, minor: 0, units: 1e12}, {place: 1, minor: 2, units: 5e12}, {place: 2, minor: 0, units: 64363359060478}}
	got := arrivalsOf(t, tx)
	for i, w := range want {
		if i >= len(got) || got[i].place != w.place || got[i].minor != w.minor || got[i].units != w.units || got[i].key != tx.outs[i].key {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

func TestRecordedBlock(t *testing.T) {
	t.Parallel()
	raw, err := hex.DecodeString(recordedBlock)
	b, ok := parseBlock(raw)
	if err != nil || !ok || b.id.String() != recordedBlockID || len(b.txs) != 2 || b.txs[1].String() != recordedID || b.major != 16 {
		t.Fatalf("block %+v", b)
	}
	raw[len(raw)-1] ^= 1
	if b, ok := parseBlock(raw); ok && b.id.String() == recordedBlockID {
		t.Error("a block with another transaction has the same hash")
	}
}

// TestRecordedMining: a miner's transaction has its id without proofs, whatever the node tells of them.
func TestRecordedMining(t *testing.T) {
	t.Parallel()
	raw, err := hex.DecodeString(recordedBlock)
	b, ok := parseBlock(raw)
	if err != nil || !ok {
		t.Fatal("the block cannot be read")
	}
	c := &cursor{rest: raw}
	for range 3 {
		c.number()
	}
	c.take(32 + 4)
	rest := c.rest
	c.transaction(rest)
	c.amounts(&transaction{})
	mined := rest[:len(rest)-len(c.rest)]
	if tx, ok := parsePruned(mined, keccak()); !ok || tx.id != b.txs[0] {
		t.Errorf("%+v is mined, want %s", tx, b.txs[0])
	}
	if tx, ok := parseWhole(mined); !ok || tx.id != b.txs[0] {
		t.Errorf("%+v is mined, want %s", tx, b.txs[0])
	}
}

// TestTheTree compares with tree-hash.c: of three ids the last two are joined first.
func TestTheTree(t *testing.T) {
	t.Parallel()
	ids := []hash{{1}, {2}, {3}, {4}, {5}}
	join := func(a, b hash) hash { return keccak(a[:], b[:]) }
	for n, want := range map[int]hash{1: ids[0], 2: join(ids[0], ids[1]), 3: join(ids[0], join(ids[1], ids[2])),
		4: join(join(ids[0], ids[1]), join(ids[2], ids[3])), 5: join(join(ids[0], ids[1]), join(ids[2], join(ids[3], ids[4])))} {
		if got := tree(ids[:n]); got != want {
			t.Errorf("the tree of %d is %s, want %s", n, got, want)
		}
	}
}

// TestThefts: outputs that a wallet would show and nobody could spend, or that are worth less than they say.
func TestThefts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*transaction)
		left   int
	}{
		"as it is":                         {func(*transaction) {}, 3},
		"locked":                           {func(tx *transaction) { tx.unlock = 1 }, 0},
		"an amount that is a lie":          {func(tx *transaction) { tx.outs[1].amount[7] ^= 1 }, 2},
		"a commitment to another amount":   {func(tx *transaction) { tx.outs[1].commitment = tx.outs[0].commitment }, 2},
		"open amounts":                     {func(tx *transaction) { tx.hidden = false }, 0},
		"another key of the transaction":   {func(tx *transaction) { tx.keys = []hash{hash(edwards25519.NewGeneratorPoint().Bytes())} }, 0},
		"the key of the transaction twice": {func(tx *transaction) { tx.keys = append(tx.keys, tx.keys[0]) }, 3},
		"keys that are none":               {func(tx *transaction) { tx.keys = []hash{{0xff}}; tx.extra = []hash{{0xff}, {2}, {0xff}} }, 0},
		"the keys of each output":          {func(tx *transaction) { tx.extra = []hash{tx.keys[0], tx.keys[0], tx.keys[0]}; tx.keys = nil }, 3},
		"a one-time key twice":             {func(tx *transaction) { tx.outs[1] = tx.outs[0]; tx.extra = tx.keys }, 2},
	} {
		tx := recorded(t)
		c.change(tx)
		if got := arrivalsOf(t, tx); len(got) != c.left {
			t.Errorf("%s: %+v arrive, want %d", name, got, c.left)
		}
	}
}

func recorded(t *testing.T) *transaction {
	t.Helper()
	raw, err := hex.DecodeString(recordedTx)
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := hex.DecodeString(recordedProofs)
	if err != nil {
		t.Fatal(err)
	}
	tx, ok := parsePruned(raw, hash(proofs))
	if !ok {
		t.Fatal("the transaction cannot be read")
	}
	return tx
}

func arrivalsOf(t *testing.T, tx *transaction) []arrival {
	t.Helper()
	c := &Connector{view: viewOf(t, recordedView)}
	c.extend(10)
	return c.view.arrivals(tx, c.among)
}

func viewOf(t *testing.T, text string) *view {
	t.Helper()
	v, err := readView(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
