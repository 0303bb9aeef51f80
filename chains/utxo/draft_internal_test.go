package utxo

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// drafting returns a draft of orders on a network without a node.
func drafting(t testing.TB, network string, rate string, units ...int64) *draft {
	t.Helper()
	seed := double([]byte("drafts"))
	c := &Connector{cfg: Defaults(network), coin: coins[network]}
	var err error
	if c.cfg.XPub, err = addresses.AccountXPub(seed[:], c.coin.account); err != nil {
		t.Fatal(err)
	}
	if c.hotKey, c.hot, err = hotWallet(network, c.cfg.XPub); err != nil {
		t.Fatal(err)
	}
	c.hotScript, c.open = c.coin.ownScript(c.hotKey), t.Context()
	s, err := NewSender(c, seed[:])
	if err != nil {
		t.Fatal(err)
	}
	s.made = s.minted
	d := &draft{sender: s, rate: decimal.RequireFromString(rate)}
	for i, u := range units {
		payee := double([]byte{byte(i)})
		d.outs = append(d.outs, output{vout: uint32(i), units: u, script: append(append([]byte{0x76, 0xa9, 20}, payee[:20]...), 0x88, 0xac)})
		d.paid += u
	}
	return d
}

// anotherSeed are keys of which none is the wallet's.
func anotherSeed(t testing.TB, network string) *seedKeys {
	t.Helper()
	seed := double([]byte("another seed"))
	account, err := addresses.KeysOf(seed[:], coins[network].account)
	if err != nil {
		t.Fatal(err)
	}
	return &seedKeys{account}
}

// TestDepositsAreSigned: coins of deposit addresses are spent with their own keys, by themselves and beside those of the hot wallet.
func TestDepositsAreSigned(t *testing.T) {
	t.Parallel()
	for network, coin := range coins {
		d := drafting(t, network, coin.rate.String(), 20*coin.dust)
		purse := d.purse(50*coin.dust+1_000_000, 60*coin.dust+2_000_001, 70*coin.dust)
		for _, slot := range [][]chains.Coin{{d.at(t, purse[0], 7)}, {purse[0], d.at(t, purse[1], 7), d.at(t, purse[2], 8)}} {
			signed, err := d.Sign(chains.Slot{Coins: slot})
			if err != nil || !signed.Fee.IsPositive() {
				t.Fatalf("%s: %+v, %v", network, signed, err)
			}
			d.signed = nil // another draft of the same spend
			again, err := d.Sign(chains.Slot{Coins: slot})
			if err != nil || !bytes.Equal(again.Raw, signed.Raw) {
				t.Errorf("%s: signed again as another one: %v", network, err)
			}
		}
		wrong := d.at(t, purse[0], 7)
		wrong.At.Index = 8
		if signed, err := d.Sign(chains.Slot{Coins: []chains.Coin{wrong}}); err == nil || !strings.Contains(err.Error(), "deposit address 8 is") {
			t.Errorf("%s: the key of another address: %+v, %v", network, signed, err)
		}
		d.sender.keys = anotherSeed(t, network)
		if _, err := d.Sign(chains.Slot{Coins: []chains.Coin{d.at(t, purse[0], 7)}}); err == nil || !strings.Contains(err.Error(), "does not hold") {
			t.Errorf("%s: by another key: %v", network, err)
		}
	}
}

// TestSignedTransactions: on every coin a transaction pays its orders in their order and the rest to the wallet, its fee is the difference,
// no less than was offered for its size, and hardly more.
func TestSignedTransactions(t *testing.T) {
	t.Parallel()
	for network, coin := range coins {
		d := drafting(t, network, coin.rate.String(), 20*coin.dust, 30*coin.dust+1, 40*coin.dust)
		slot := chains.Slot{Coins: d.purse(50*coin.dust+1_000_000, 60*coin.dust+2_000_001)}
		signed, err := d.Sign(slot)
		if err != nil {
			t.Fatalf("%s: %v", network, err)
		}
		tx := wire.NewMsgTx(1)
		if err := tx.Deserialize(bytes.NewReader(signed.Raw)); err != nil || tx.TxHash().String() != signed.Txid {
			t.Fatalf("%s: %v", network, err)
		}
		left := 110*coin.dust + 3_000_001
		for i, o := range tx.TxOut {
			left -= o.Value
			if i < 3 && (o.Value != d.outs[i].units || !bytes.Equal(o.PkScript, d.outs[i].script)) || i >= 3 && !bytes.Equal(o.PkScript, d.sender.hotScript) {
				t.Errorf("%s: output %d is %+v", network, i, o)
			}
		}
		if !signed.Fee.Equal(amountOf(left)) || len(tx.TxOut) < 4 {
			t.Errorf("%s: the fee is %s in %d outputs, and %s are left", network, signed.Fee, len(tx.TxOut), amountOf(left))
		}
		size := int64(tx.SerializeSizeStripped()*3+tx.SerializeSize()+3) / 4
		if offered := feeOf(d.rate, size); left < offered || left > feeOf(d.rate, size+4) {
			t.Errorf("%s: a fee of %d for %d bytes, and %d were offered", network, left, size, offered)
		}
		for i, in := range tx.TxIn {
			if want := slot.Coins[i].ID; (input{from: hash(in.PreviousOutPoint.Hash), vout: in.PreviousOutPoint.Index}).coin() != want || (in.Sequence < final-1) != coin.replaces {
				t.Errorf("%s: input %d is %v, sequence %x", network, i, in.PreviousOutPoint, in.Sequence)
			}
		}
	}
}

// TestChangeIsSplit: into at most four coins, none smaller than the orders together, and into none where it would be dust.
func TestChangeIsSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		has    int64 // beyond the order and the fee without change
		orders []int64
		want   int
	}{
		{0, []int64{1_000_000}, 0},
		{500, []int64{1_000_000}, 0},
		{1_000, []int64{1_000_000}, 1},
		{1_900_000, []int64{1_000_000}, 1},
		{2_100_000, []int64{1_000_000}, 2},
		{3_100_000, []int64{1_000_000}, 3},
		{900_000_000, []int64{1_000_000}, 4},
		{900_000_000, nil, 4},
		{1_000_000, nil, 1},
	} {
		d := drafting(t, "Bitcoin", "2", c.orders...)
		has := d.paid + d.fee(1, 0) + c.has
		change := d.change(has, 1)
		sum := int64(0)
		for i, o := range change {
			if sum += o.units; o.units < bitcoin.dust || int(o.vout) != len(c.orders)+i {
				t.Errorf("%+v: change %+v", c, o)
			}
		}
		if len(change) != c.want || len(change) > 0 && has-d.paid-sum != d.fee(1, len(change)) {
			t.Errorf("%+v: %d coins of %d, want %d", c, len(change), sum, c.want)
		}
	}
}

// TestChoose: the largest coins first, and no more than are needed. Coins below thrice the fee of spending them stay.
func TestChoose(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Bitcoin", "10", 1_000_000)
	free := d.purse(5_000, 300_000, 2_000, 900_000, 400_000)
	other := free[1]
	other.Token = "USDT"
	got, err := d.Choose(append(slices.Clone(free), other))
	if err != nil || len(got) != 2 || got[0] != free[3] || got[1] != free[4] {
		t.Fatalf("%v, %v", got, err)
	}
	if signed, err := d.Sign(chains.Slot{Coins: got}); err != nil || signed.Fee.GreaterThan(amountOf(10_000)) {
		t.Errorf("%+v, %v", signed, err)
	}
	mixed := slices.Clone(free)
	mixed[3], mixed[4] = d.at(t, mixed[3], 1), d.at(t, mixed[4], 2)
	if got, err := d.Choose(mixed); err != nil || len(got) != 2 || got[0] != mixed[1] || got[1] != mixed[3] {
		t.Errorf("a slot begins with a coin of the hot wallet: %v, %v", got, err)
	}
	if got, err := d.Choose(mixed[3:]); err != nil || len(got) != 2 {
		t.Errorf("deposits alone: %v, %v", got, err)
	}
	_, err = d.Choose(free[:3])
	var short *chains.Short
	if !errors.As(err, &short) || !errors.Is(err, chains.ErrShort) || short.Token != "BTC" {
		t.Fatalf("%v", err)
	}
	missing := short.Missing.Shift(decimals).IntPart()
	if _, err := d.Choose(append(d.purse(5_000, 300_000, 2_000), chains.Coin{ID: free[3].ID, Token: "BTC", Amount: amountOf(missing - 1)})); !errors.Is(err, chains.ErrShort) {
		t.Errorf("a unit less than is missing: %v", err)
	}
	if _, err := d.Choose(append(d.purse(5_000, 300_000, 2_000), chains.Coin{ID: free[3].ID, Token: "BTC", Amount: amountOf(missing)})); err != nil {
		t.Errorf("all that is missing: %v", err)
	}
}

// TestASmallCoinOfTheHotWalletPaysWithDeposits: a slot begins with a coin of the hot wallet, also when each is not worth its fee.
func TestASmallCoinOfTheHotWalletPaysWithDeposits(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Bitcoin", "10", 1_000_000)
	free := d.purse(600, 1_500, 900_000, 800_000)
	free[2], free[3] = d.at(t, free[2], 1), d.at(t, free[3], 2)
	got, err := d.Choose(free)
	if err != nil || len(got) != 3 || got[0] != free[1] || got[1] != free[2] || got[2] != free[3] {
		t.Fatalf("%v, %v", got, err)
	}
	if signed, err := d.Sign(chains.Slot{Coins: got}); err != nil || signed.Fee.GreaterThan(amountOf(10_000)) {
		t.Errorf("%+v, %v", signed, err)
	}
	if got, err := d.Choose(append(free, d.purse(1, 2, 3, 4, 2_000_000)[4])); err != nil || len(got) != 1 || got[0].Amount.String() != "0.02" {
		t.Errorf("small coins stay beside a large one: %v, %v", got, err)
	}
}

// TestTheHotWalletIsNotLeftWithoutACoin: if there would be no change, another coin is spent, so that there is. A wallet with other coins,
// or without others to spend, does without.
func TestTheHotWalletIsNotLeftWithoutACoin(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Bitcoin", "10", 1_000_000)
	exact := 1_000_000 + d.fee(1, 0)
	left := func(name string, free []chains.Coin, coins, change int) {
		t.Helper()
		got, err := d.Choose(free)
		if err != nil || len(got) != coins {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		has := int64(0)
		for _, c := range got {
			has += c.Amount.Shift(decimals).IntPart()
		}
		if outs := d.change(has, len(got)); len(outs) != change {
			t.Errorf("%s: change %v", name, outs)
		}
	}
	free := d.purse(exact, 50_000, 40_000)
	left("the last coin", free[:1], 1, 0)
	left("another of its own", free, 1, 0)
	deposits := []chains.Coin{free[0], d.at(t, free[1], 1), d.at(t, free[2], 2)}
	left("deposits", deposits, 2, 1)
	left("dust beside it", append(deposits, d.purse(1, 2, 3, 600)[3]), 1, 0)
	first, _ := placeOf(free[0].ID)
	d.over = []held{{place: first, units: exact}}
	left("a replacement", deposits, 1, 0) // of what is chosen beside the coins before
}

// TestSlotsThatAreNone: coins that are none, twice the same, too few, or without those of the transaction that is replaced.
func TestSlotsThatAreNone(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Bitcoin", "10", 1_000_000)
	coins := d.purse(2_000_000, 3_000_000, 4_000_000)
	odd := func(change func(*chains.Coin)) []chains.Coin {
		out := slices.Clone(coins)
		change(&out[1])
		return out
	}
	for name, slot := range map[string][]chains.Coin{
		"none":              nil,
		"too little":        d.purse(1_000_100),
		"twice":             {coins[0], coins[0]},
		"no id":             odd(func(c *chains.Coin) { c.ID = "abc:0" }),
		"no place":          odd(func(c *chains.Coin) { c.ID += "x" }),
		"a negative place":  odd(func(c *chains.Coin) { c.ID = c.ID[:65] + "-1" }),
		"another token":     odd(func(c *chains.Coin) { c.Token = "LTC" }),
		"half a unit":       odd(func(c *chains.Coin) { c.Amount = decimal.New(5, -9) }),
		"less than nothing": odd(func(c *chains.Coin) { c.Amount = decimal.New(-1, 0) }),
		"more than all":     odd(func(c *chains.Coin) { c.Amount = decimal.New(1, 15) }),
	} {
		if signed, err := d.Sign(chains.Slot{Coins: slot}); err == nil {
			t.Errorf("%s: %+v", name, signed)
		}
	}
	first, _ := placeOf(coins[0].ID)
	second, _ := placeOf(coins[1].ID)
	d.over = []held{{place: first, units: 2_000_000}, {place: second, units: 3_000_000}}
	for _, slot := range [][]chains.Coin{coins[:1], {coins[1], coins[0]}, {coins[2], coins[0], coins[1]}} {
		if signed, err := d.Sign(chains.Slot{Coins: slot}); err == nil {
			t.Errorf("%v replaces %v: %+v", slot, d.over, signed)
		}
	}
	if _, err := d.Sign(chains.Slot{Coins: coins}); err != nil {
		t.Error(err)
	}
}

// TestABadSignatureIsNotReturned: a key that is not the wallet's is found out by the check of the signature.
func TestABadSignatureIsNotReturned(t *testing.T) {
	t.Parallel()
	for network := range coins {
		d := drafting(t, network, coins[network].rate.String(), 20_000_000)
		d.sender.keys = anotherSeed(t, network)
		if _, err := d.Sign(chains.Slot{Coins: d.purse(90_000_000)}); err == nil || !strings.Contains(err.Error(), "does not hold") {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// away are keys behind a signer that is away. They count its questions.
type away struct{ asked atomic.Int64 }

func (a *away) sign(*chains.Wallet, [32]byte) (der, key []byte, err error) {
	a.asked.Add(1)
	return nil, nil, chains.ErrDown
}

// TestNoFurtherInputIsSignedAfterAFailure: a transaction of many coins does not wait for a silent signer once for each of them.
//
// Covers operator §Settings: A `signer` of Bitcoin and its kin
func TestNoFurtherInputIsSignedAfterAFailure(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Bitcoin", "10", 20_000_000)
	signer := &away{}
	d.sender.keys = signer
	signed, err := d.Sign(chains.Slot{Coins: d.purse(slices.Repeat([]int64{1_000_000}, 200)...)})
	if !errors.Is(err, chains.ErrDown) || signed.Raw != nil || signer.asked.Load() > 2*signingAtOnce {
		t.Errorf("%+v, %v after %d questions", signed, err, signer.asked.Load())
	}
}

// TestForkedSignatures: those of BitcoinCash hold on BitcoinSV, and on no other coin; those of BitcoinGold on none but itself.
func TestForkedSignatures(t *testing.T) {
	t.Parallel()
	for network, holds := range map[string][]string{"BitcoinCash": {"BitcoinCash", "BitcoinSV"}, "BitcoinGold": {"BitcoinGold"}} {
		d := drafting(t, network, coins[network].rate.String(), 20_000_000)
		signed, err := d.Sign(chains.Slot{Coins: d.purse(90_000_000)})
		if err != nil {
			t.Fatal(err)
		}
		tx := wire.NewMsgTx(1)
		if err := tx.Deserialize(bytes.NewReader(signed.Raw)); err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"Dogecoin", "BitcoinCash", "BitcoinSV", "BitcoinGold"} {
			err := coins[other].checkRecorded(tx, output{units: 90_000_000, script: d.sender.hotScript}, 90_000_000)
			if (err == nil) != slices.Contains(holds, other) {
				t.Errorf("signed for %s, on %s: %v", network, other, err)
			}
		}
	}
}

// TestDustIsTheLeastOfANetwork: the API refuses what no node passes on.
func TestDustIsTheLeastOfANetwork(t *testing.T) {
	t.Parallel()
	for name, c := range coins {
		if n, _ := pay.NetworkNamed(name); n.Least != c.dust {
			t.Errorf("%s: the least is %d, and dust is below %d", name, n.Least, c.dust)
		}
	}
}
