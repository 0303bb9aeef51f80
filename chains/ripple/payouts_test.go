package ripple_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
)

// stranger is an address without an account.
func stranger(name string) string { return rippled.KeyOf(name).Text() }

func order(amount, to, memo string) chains.Order {
	return chains.Order{To: to, Memo: memo, Token: "XRP", Amount: decimal.RequireFromString(amount)}
}

func single(o chains.Order) chains.Spend { return chains.Spend{Orders: []chains.Order{o}} }

func (l *launched) next(t testing.TB) uint64 {
	t.Helper()
	n, err := l.NextNonce(t.Context(), l.Hot())
	check(t, err)
	return n
}

func (l *launched) prepared(t testing.TB, spend chains.Spend) chains.Draft {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), spend)
	check(t, err)
	return d
}

func (l *launched) signed(t testing.TB, o chains.Order, number uint64) chains.Signed {
	t.Helper()
	signed, err := l.prepared(t, single(o)).Sign(chains.Slot{Number: number})
	check(t, err)
	return signed
}

func (l *launched) outcome(t testing.TB, raw []byte, want chains.Outcome) {
	t.Helper()
	if got, reason := l.sender.Broadcast(t.Context(), raw); got != want || (want != chains.Accepted) != (reason != "") {
		t.Errorf("outcome %d (%q), want %d", got, reason, want)
	}
}

func (l *launched) status(t testing.TB, txid string) chains.TxStatus {
	t.Helper()
	all, err := l.Status(t.Context(), []string{txid})
	check(t, err)
	return all[txid]
}

func (l *launched) refusal(t testing.TB, o chains.Order) error {
	t.Helper()
	_, err := l.sender.Prepare(t.Context(), single(o))
	return err
}

// TestRecipientsAreLookedAt: what the ledger would not carry out is unpayable before anything is signed.
//
// Covers operator §Settings: Before a payout is signed, the recipient
func TestRecipientsAreLookedAt(t *testing.T) {
	t.Parallel()
	l := launch(t)
	flags := map[string]uint32{"wants tags": 1, "wants no XRP": 3, "shy": 9, "poor and shy": 9}
	for name := range flags {
		amount := int64(100)
		if name == "poor and shy" {
			amount = 1
		}
		l.pay(t, stranger(name), "", decimal.NewFromInt(amount))
	}
	l.node.Close(1)
	for name, flag := range flags {
		_, err := l.node.Set(rippled.KeyOf(name), flag)
		check(t, err)
	}
	l.node.Close(1)
	for name, o := range map[string]chains.Order{
		"less than the reserve to nobody":     order("0.999999", stranger("new"), tag),
		"no tag where one is wanted":          order("5", stranger("wants tags"), ""),
		"XRP that is not wanted":              order("5", stranger("wants no XRP"), tag),
		"to one who takes none of strangers":  order("0.5", stranger("shy"), tag),
		"much to a poor one who takes none":   order("1.000001", stranger("poor and shy"), tag),
		"the hot wallet":                      order("5", l.Hot(), tag),
		"a memo that is no tag":               order("5", stranger("new"), "4294967296"),
		"another tag than the one in address": order("5", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", tag),
	} {
		if err := l.refusal(t, o); !errors.Is(err, chains.ErrUnpayable) {
			t.Errorf("%s: %v, want ErrUnpayable", name, err)
		}
	}
	for name, o := range map[string]chains.Order{
		"the reserve to nobody":             order("1", stranger("new"), tag),
		"a tag where one is wanted":         order("5", stranger("wants tags"), "0"),
		"little to a poor one who is shy":   order("1", stranger("poor and shy"), tag),
		"a tag in the address":              order("5", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", ""),
		"the same tag beside the address's": order("5", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", "1"),
	} {
		signed := l.signed(t, o, l.next(t))
		l.outcome(t, signed.Raw, chains.Accepted)
		l.node.Close(1)
		if now := l.status(t, signed.Txid); now.State != chains.TxMined {
			t.Errorf("%s: %+v", name, now)
		}
	}
}

// TestTheReserveStays: all there is beyond it can be paid out, and no more. An address without an account is short of everything.
//
// Covers operator §Settings: The hot wallet must be paid
func TestTheReserveStays(t *testing.T) {
	t.Parallel()
	l := launch(t)
	var missing *chains.Short
	if err := l.refusal(t, order("100000", stranger("new"), tag)); !errors.As(err, &missing) || missing.Missing.String() != "1.000012" || missing.Token != "XRP" {
		t.Fatalf("%v, want the reserve and the fee missing", err)
	}
	all := order("99998.999988", stranger("new"), tag)
	d := l.prepared(t, single(all))
	if spare := d.Spare(); !spare.Coin.IsZero() || !spare.Token.IsZero() || *spare.From != l.next(t) || *spare.Next != l.next(t) {
		t.Errorf("%+v is beside all there is", spare)
	}
	signed := l.signed(t, all, l.next(t))
	l.outcome(t, signed.Raw, chains.Accepted)
	l.node.Close(1)
	if held, err := l.Holdings(t.Context(), "XRP", []string{l.Hot()}, l.node.Height()); err != nil || held[0].String() != "1" {
		t.Errorf("%v, %v", held, err)
	}
	empty := settings(t, l.node.URL)
	other := []byte("causeway tests: never fund that!")
	empty.XPub = xpubOf(t, other)
	c, err := ripple.Open(t.Context(), empty, nil)
	check(t, err)
	t.Cleanup(c.Close)
	s, err := ripple.NewSender(c, other)
	check(t, err)
	if _, err := s.Prepare(t.Context(), single(order("5", stranger("new"), tag))); !errors.As(err, &missing) || missing.Missing.String() != "6.000012" {
		t.Errorf("%v, want the payment, the fee and the reserve missing", err)
	}
	if _, err := c.NextNonce(t.Context(), c.Hot()); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%v, want ErrShort: its first number is not known", err)
	}
	if n, err := c.NonceAt(t.Context(), c.Hot(), l.node.Height()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestFeesAreBounded: a fee is above the price of the open ledger, and never above max_fee. While nothing is taken for less, payouts wait.
//
// Covers operator §Settings: max_fee · the most XRP
func TestFeesAreBounded(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *ripple.Config) { c.MaxFee = decimal.New(1, -3) })
	pays := order("5", stranger("new"), tag)
	for load, want := range map[int64]string{0: "0.000012", 500: "0.0006", 2_000: "0.001"} {
		l.node.Load(load, 0)
		if got := l.signed(t, pays, l.next(t)).Fee; got.String() != want {
			t.Errorf("at %d drops: %s, want %s", load, got, want)
		}
		cost, err := l.MoveCost(t.Context(), "XRP")
		if err != nil || cost.String() != want {
			t.Errorf("at %d drops a move costs %s, %v, want %s", load, cost, err, want)
		}
	}
	l.node.Load(2_000, 0)
	queued := l.signed(t, pays, l.next(t))
	l.outcome(t, queued.Raw, chains.Accepted) // it waits in the queue
	if now := l.status(t, queued.Txid); now.State != chains.TxPending || l.next(t) != number(t, queued)+1 {
		t.Errorf("%+v, and %d is next", now, l.next(t))
	}
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{pays}, Over: [][]byte{queued.Raw}}); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee") {
		t.Errorf("%v, want that nothing dearer may be signed", err)
	}
	l.node.Load(2_000, 1_001)
	if err := l.refusal(t, pays); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee") {
		t.Errorf("%v, want a payout that waits", err)
	}
	if _, err := l.MoveCost(t.Context(), "USD"); !errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("%v", err)
	}
}

// number is the number of a transaction.
func number(t testing.TB, s chains.Signed) uint64 {
	t.Helper()
	return ripple.NumberOf(t, s.Raw)
}

// TestADearerOneReplacesInTheQueue: with a quarter more it takes the place of one that waits in the queue.
func TestADearerOneReplacesInTheQueue(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *ripple.Config) { c.MaxFee = decimal.New(1, -3) })
	l.node.Load(50_000, 0)
	tight := on(t, l.node, func(c *ripple.Config) { c.MaxFee = decimal.New(5, -4) })
	pays := order("5", stranger("new"), tag)
	first := tight.signed(t, pays, tight.next(t))
	tight.outcome(t, first.Raw, chains.Accepted)
	second, err := l.prepared(t, chains.Spend{Orders: []chains.Order{pays}, Over: [][]byte{first.Raw}}).Sign(chains.Slot{Number: number(t, first)})
	check(t, err)
	if second.Fee.String() != "0.001" || number(t, second) != number(t, first) {
		t.Errorf("%+v", second)
	}
	l.outcome(t, second.Raw, chains.Accepted)
	l.outcome(t, first.Raw, chains.Underpriced)
	l.node.Load(0, 0)
	l.node.Close(2)
	if was, now := l.status(t, first.Txid), l.status(t, second.Txid); was.State != chains.TxMissing || now.State != chains.TxMined {
		t.Errorf("%+v and %+v", was, now)
	}
	l.outcome(t, first.Raw, chains.SlotTaken)
}

// TestReplacementsAreOfTheirNumber: bytes of another wallet, of several numbers or of nobody are none to replace.
func TestReplacementsAreOfTheirNumber(t *testing.T) {
	t.Parallel()
	l := launch(t)
	pays := order("5", stranger("new"), tag)
	one, two := l.signed(t, pays, l.next(t)), l.signed(t, pays, l.next(t)+1)
	tampered := append([]byte(nil), one.Raw...)
	tampered[len(tampered)-1] ^= 1
	for name, over := range map[string][][]byte{"several numbers": {one.Raw, two.Raw}, "no transaction": {[]byte("x")}, "of another": {tampered}} {
		if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{pays}, Over: over}); err == nil {
			t.Errorf("%s: it is prepared", name)
		}
	}
	d := l.prepared(t, chains.Spend{Over: [][]byte{one.Raw}})
	for _, wrong := range []uint64{number(t, one) + 1, 0} {
		if _, err := d.Sign(chains.Slot{Number: wrong}); err == nil {
			t.Errorf("it is signed for number %d", wrong)
		}
	}
	for _, huge := range []uint64{0, 1 << 32} {
		if _, err := l.prepared(t, single(pays)).Sign(chains.Slot{Number: huge}); err == nil {
			t.Errorf("it is signed for number %d", huge)
		}
	}
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{}); err == nil {
		t.Error("a spend of nothing takes a new number")
	}
}

// TestAPaymentThatFailsInItsLedger moves nothing, and has cost its fee and its number.
//
// Covers operator §Settings: A payout's transaction may be
func TestAPaymentThatFailsInItsLedger(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := rippled.KeyOf("changes its mind")
	l.pay(t, to.Text(), "", decimal.NewFromInt(5))
	l.node.Close(1)
	signed := l.signed(t, order("5", to.Text(), ""), l.next(t))
	_, err := l.node.Set(to, 1)
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
	height := l.node.Close(1)
	now := l.status(t, signed.Txid)
	if now.State != chains.TxReverted || now.Fee.String() != "0.000012" || now.Height != height || !now.Final || now.Amiss != nil {
		t.Errorf("%+v, want TxReverted in %d", now, height)
	}
	if b := l.newest(t); len(b.Transfers) != 0 {
		t.Errorf("%+v", b.Transfers)
	}
	if l.next(t) != number(t, signed)+1 {
		t.Errorf("%d is next", l.next(t))
	}
}

// TestWordsOfTheNode: what a node says of a sent transaction is never a rejection. It may have forgotten what it took.
func TestWordsOfTheNode(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed := l.signed(t, order("5", stranger("new"), tag), l.next(t))
	for code, want := range map[string]chains.Outcome{
		"tesSUCCESS": chains.Accepted, "terQUEUED": chains.Accepted, "tefALREADY": chains.Accepted, "tecDST_TAG_NEEDED": chains.Accepted,
		"tefPAST_SEQ": chains.SlotTaken, "tefMAX_LEDGER": chains.Expired, "telINSUF_FEE_P": chains.Underpriced,
		"telCAN_NOT_QUEUE_FEE": chains.Underpriced, "telCAN_NOT_QUEUE_FULL": chains.Underpriced, "telCAN_NOT_QUEUE": chains.NotTaken,
		"temBAD_SIGNATURE": chains.NotTaken, "temMALFORMED": chains.NotTaken, "terPRE_SEQ": chains.NotTaken, "terINSUF_FEE_B": chains.NotTaken,
		"tefBAD_AUTH": chains.NotTaken, "telFAILED_PROCESSING": chains.NotTaken, "": chains.Unknown,
	} {
		l.node.Refuse(code, 1)
		if got, reason := l.sender.Broadcast(t.Context(), signed.Raw); got != want || (want != chains.Accepted) != (reason != "") {
			t.Errorf("%s: outcome %d (%q), want %d", code, got, reason, want)
		}
	}
	l.node.Mute(1)
	l.outcome(t, signed.Raw, chains.Unknown)
	if got := l.status(t, signed.Txid); got.State != chains.TxPending {
		t.Errorf("the answer was lost, and it is %+v", got)
	}
	l.outcome(t, signed.Raw, chains.Accepted)
	l.node.Drop()
	l.node.Swallow(1)
	l.outcome(t, signed.Raw, chains.Accepted)
	if got := l.status(t, signed.Txid); got.State != chains.TxMissing {
		t.Errorf("the node forgot it, and it is %+v", got)
	}
	l.outcome(t, signed.Raw, chains.Accepted)
	l.node.Close(1)
	for _, code := range []string{"temMALFORMED", "tefPAST_SEQ", "tefMAX_LEDGER"} { // it is in a ledger, whatever is said
		l.node.Refuse(code, 1)
		l.outcome(t, signed.Raw, chains.Accepted)
	}
	l.node.Down(true)
	l.outcome(t, signed.Raw, chains.Unknown)
}

// TestOnlyOursAreSent: bytes of another network, or with another signature, are rejected by our own proof.
func TestOnlyOursAreSent(t *testing.T) {
	t.Parallel()
	l := launch(t)
	main := on(t, rippled.Start(t, rippled.Options{Network: -1}), func(c *ripple.Config) { c.NetworkID = 0 })
	signed := main.signed(t, order("5", stranger("new"), tag), main.next(t))
	l.outcome(t, signed.Raw, chains.Rejected)
	main.outcome(t, signed.Raw, chains.Accepted)
	tampered := append([]byte(nil), signed.Raw...)
	tampered[len(tampered)-1] ^= 1
	main.outcome(t, tampered, chains.Rejected)
	if _, err := ripple.NewSender(l.Connector, []byte("the seed of somebody else, 32 bytes")); !errors.Is(err, ripple.ErrKey) {
		t.Errorf("%v, want ErrKey", err)
	}
}

// TestSeveralNodes: a node that is away or lacks a ledger is left for the next one.
//
// Covers operator §Settings: rpc · the http or https address of JSON-RPC, of a rippled
func TestSeveralNodes(t *testing.T) {
	t.Parallel()
	one := rippled.Start(t, rippled.Options{})
	two := one.Also(t)
	l := on(t, one, func(c *ripple.Config) { c.RPC = []string{one.URL, two.URL} })
	h, err := l.Head(t.Context(), l.node.Height())
	check(t, err)
	if h.Agreed == nil || *h.Agreed != h.Height || h.Final != h.Height {
		t.Errorf("%+v, want two nodes that agree", h)
	}
	one.Lose(2, 2)
	if b, err := l.Blocks(t.Context(), 1, 5); err != nil || len(b) != 5 {
		t.Errorf("%d ledgers, %v: the second node has what the first lacks", len(b), err)
	}
	two.Answers(false)
	one.Close(3)
	if h, err := l.Head(t.Context(), h.Height); err != nil || h.Height != one.Height() {
		t.Errorf("%+v, %v, with the second node away", h, err)
	}
}
