package tron_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// stranger is an address that was never paid to.
func stranger(name string) string { return tronnode.KeyOf(name).Text() }

func order(token, amount, to string) chains.Order {
	return chains.Order{To: to, Token: token, Amount: decimal.RequireFromString(amount)}
}

func single(o chains.Order) chains.Spend { return chains.Spend{Orders: []chains.Order{o}} }

func (l *launched) prepared(t testing.TB, o chains.Order) chains.Draft {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), single(o))
	check(t, err)
	return d
}

func (l *launched) signed(t testing.TB, o chains.Order, number uint64) chains.Signed {
	t.Helper()
	signed, err := l.prepared(t, o).Sign(chains.Slot{Number: number})
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

// sent signs, sends and mines, and returns the state.
func (l *launched) sent(t testing.TB, o chains.Order, number uint64) (chains.Signed, chains.TxStatus) {
	t.Helper()
	signed := l.signed(t, o, number)
	l.outcome(t, signed.Raw, chains.Accepted)
	l.node.Mine(1)
	return signed, l.status(t, signed.Txid)
}

func (l *launched) call(t testing.TB, method string, arguments ...any) {
	t.Helper()
	_, err := l.node.Call(tronnode.Rich, tronnode.USDT, method, arguments...)
	check(t, err)
	l.node.Mine(1)
}

func accountOf(t testing.TB, address string) common.Address {
	t.Helper()
	a, err := addresses.TronAccount(address)
	check(t, err)
	return a
}

// TestRecipientsAreLookedAt: a contract takes no TRX, and nobody on the token's blocklist is paid in it. A token's own contract and the hot
// wallet are no recipients.
//
// Covers operator §Settings: TRX is not paid to contracts
func TestRecipientsAreLookedAt(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *tron.Config) { delete(c.Tokens, "SILENT") })
	blocked := stranger("blocked")
	l.call(t, "addBlackList", accountOf(t, blocked))
	for name, o := range map[string]chains.Order{
		"TRX to a contract":        order("TRX", "5", tronnode.Silent),
		"a blocked recipient":      order("USDT", "5", blocked),
		"the token's own contract": order("USDT", "5", tronnode.USDT),
		"the hot wallet":           order("TRX", "5", l.Hot()),
	} {
		if _, err := l.sender.Prepare(t.Context(), single(o)); !errors.Is(err, chains.ErrUnpayable) {
			t.Errorf("%s: %v, want ErrUnpayable", name, err)
		}
	}
	if _, now := l.sent(t, order("TRX", "5", blocked), 1); now.State != chains.TxMined {
		t.Errorf("the blocklist of a token is not about TRX: %+v", now)
	}
}

// TestABlockedHotWalletWaits: its payouts are not refunded one by one. A person has to look.
func TestABlockedHotWalletWaits(t *testing.T) {
	t.Parallel()
	l := launch(t)
	l.call(t, "addBlackList", accountOf(t, l.Hot()))
	_, err := l.sender.Prepare(t.Context(), single(order("USDT", "5", stranger("a"))))
	if errors.Is(err, chains.ErrUnpayable) || errors.Is(err, chains.ErrDown) || !says(err, "blocklist of USDT") {
		t.Errorf("%v", err)
	}
}

// TestFeesOfTRX: a recipient who is new to the chain costs more, which counts in the bound and in the balance.
func TestFeesOfTRX(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := stranger("new")
	signed, now := l.sent(t, order("TRX", "5", to), 1)
	if signed.Fee.LessThan(decimal.RequireFromString("1.3")) || now.Fee.LessThan(decimal.NewFromInt(1)) || now.Fee.GreaterThan(signed.Fee) {
		t.Errorf("a new recipient costs %s, and %s at most", now.Fee, signed.Fee)
	}
	again, now := l.sent(t, order("TRX", "5", to), 2)
	if again.Fee.GreaterThan(decimal.RequireFromString("0.4")) || now.Fee.GreaterThan(again.Fee) {
		t.Errorf("a known recipient costs %s, and %s at most", now.Fee, again.Fee)
	}
	l.node.Solidify()
	held, err := l.Holdings(t.Context(), "TRX", []string{l.Hot()}, l.head(t).Height)
	check(t, err)
	_, err = l.sender.Prepare(t.Context(), single(order("TRX", held[0].String(), to)))
	var missing *chains.Short
	if !errors.As(err, &missing) || missing.Token != "TRX" || missing.Missing.Sub(again.Fee).Abs().GreaterThan(decimal.RequireFromString("0.01")) {
		t.Fatalf("all there is without a fee: %v, want about %s missing", err, again.Fee)
	}
	d := l.prepared(t, order("TRX", held[0].Sub(missing.Missing).String(), to))
	if spare := d.Spare(); !spare.Coin.IsZero() || !spare.Token.IsZero() || *spare.From != 0 {
		t.Errorf("%+v is beside all there is", spare)
	}
}

func (l *launched) head(t testing.TB) chains.Head {
	t.Helper()
	h, err := l.Head(t.Context(), -1)
	check(t, err)
	return h
}

// TestFeesOfATokenAreBounded: a fee is twice what a trial takes at most, and never more than max_fee. While it costs more, payouts wait.
//
// Covers operator §Settings: Before a payout is signed, the payment is tried
func TestFeesOfATokenAreBounded(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := stranger("new")
	signed, now := l.sent(t, order("USDT", "5", to), 1)
	if ratio := signed.Fee.Div(now.Fee).InexactFloat64(); now.State != chains.TxMined || ratio < 1.5 || ratio > 2.5 {
		t.Errorf("%s was signed as the most, and it cost %s", signed.Fee, now.Fee)
	}
	tight := on(t, l.node, func(c *tron.Config) { c.MaxFee = now.Fee.Mul(decimal.RequireFromString("1.2")).Round(6) })
	if got := tight.signed(t, order("USDT", "5", stranger("other")), 2).Fee; got.GreaterThan(tight.config.MaxFee.Add(decimal.RequireFromString("0.6"))) {
		t.Errorf("%s may be burnt, over max_fee, %s", got, tight.config.MaxFee)
	}
	stingy := on(t, l.node, func(c *tron.Config) { c.MaxFee = decimal.NewFromInt(1) })
	if _, err := stingy.sender.Prepare(t.Context(), single(order("USDT", "5", to))); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee") {
		t.Errorf("%v, want a payout that waits", err)
	}
}

// TestABusyContractCostsMore: the penalty of a busy contract is in the trial.
func TestABusyContractCostsMore(t *testing.T) {
	t.Parallel()
	plain, busy := launch(t), on(t, tronnode.Start(t, tronnode.Options{Factor: 20_000}))
	to := stranger("new")
	cheap, dear := plain.signed(t, order("USDT", "5", to), 1).Fee, busy.signed(t, order("USDT", "5", to), 1).Fee
	if ratio := dear.Div(cheap).InexactFloat64(); ratio < 2.5 || ratio > 3.1 {
		t.Errorf("a threefold price of energy is %s in place of %s", dear, cheap)
	}
	if _, now := busy.sent(t, order("USDT", "5", to), 1); now.State != chains.TxMined {
		t.Errorf("%+v", now)
	}
}

// TestAPaymentThatReverts: a payment of a token that fails in its block has moved nothing, and has cost its fee.
func TestAPaymentThatReverts(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed := l.signed(t, order("USDT", "5", stranger("new")), 1)
	l.call(t, "addBlackList", accountOf(t, l.Hot()))
	l.node.Mine(1)
	outcome, _ := l.sender.Broadcast(t.Context(), signed.Raw)
	if outcome != chains.Accepted {
		t.Fatalf("outcome %d: a call is not tried when it is sent", outcome)
	}
	height := l.node.Mine(1)
	now := l.status(t, signed.Txid)
	if now.State != chains.TxReverted || !now.Fee.IsPositive() || now.Fee.GreaterThan(signed.Fee) || now.Height != height || now.Amiss != nil {
		t.Errorf("%+v, want TxReverted in %d", now, height)
	}
	blocks, err := l.Blocks(t.Context(), height, 1)
	check(t, err)
	if len(blocks[0].Sent) != 1 || blocks[0].Sent[0].Txid != signed.Txid || len(blocks[0].Transfers) != 0 {
		t.Errorf("%+v, want it among those sent", blocks[0])
	}
}

// TestOutOfEnergy: a payment that takes more energy than was tried out, since the recipient has spent all of the token meanwhile, burns no
// more than was signed.
func TestOutOfEnergy(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := tronnode.KeyOf("spends all")
	l.pay(t, "TRX", to.Text(), decimal.NewFromInt(500))
	l.pay(t, "USDT", to.Text(), decimal.NewFromInt(1))
	l.node.Mine(1)
	cost := l.prepared(t, order("USDT", "5", to.Text())).(*tron.Draft).FeeLimit().Div(decimal.NewFromInt(2)).Round(6)
	tight := on(t, l.node, func(c *tron.Config) { c.MaxFee = cost })
	signed := tight.signed(t, order("USDT", "5", to.Text()), 1)
	_, err := l.node.Call(to, tronnode.USDT, "transfer", accountOf(t, stranger("another")), big.NewInt(1_000_000))
	check(t, err)
	l.node.Mine(1)
	tight.outcome(t, signed.Raw, chains.Accepted)
	l.node.Mine(1)
	now := tight.status(t, signed.Txid)
	if now.State != chains.TxReverted || now.Fee.LessThan(cost) || now.Fee.GreaterThan(signed.Fee) {
		t.Errorf("%+v, want TxReverted for the fee_limit of %s", now, cost)
	}
}

// TestATokenKeepsAPart: a token that takes a fee out of the amount is told as amiss, and found out of the block.
func TestATokenKeepsAPart(t *testing.T) {
	t.Parallel()
	l := launch(t)
	l.call(t, "setParams", big.NewInt(10), big.NewInt(40))
	signed, now := l.sent(t, order("USDT", "5", stranger("new")), 1)
	if now.State != chains.TxMined || now.Amiss == nil || now.Amiss.Arrived.String() != "4.995" || now.Amiss.Spent.String() != "5" {
		t.Errorf("%s is %+v: %+v", signed.Txid, now, now.Amiss)
	}
}

// TestEnergyOfAStake: staked energy is worth what it saves, for a payment of a token alone.
func TestEnergyOfAStake(t *testing.T) {
	t.Parallel()
	l := launch(t)
	none, err := l.Resources(t.Context())
	check(t, err)
	if none.Left != 0 || none.Payments[1].Token != "USDT" || !none.Payments[1].CostsNow.Equal(none.Payments[1].Costs) {
		t.Errorf("without a stake: %+v", none)
	}
	before, coins := l.prepared(t, order("USDT", "5", stranger("new"))).Spare(), l.prepared(t, order("TRX", "5", stranger("new"))).Spare()
	_, err = l.node.Freeze(tronnode.Rich, 50_000_000_000_000)
	check(t, err)
	l.node.Mine(1)
	_, err = l.node.Lend(tronnode.Rich, l.Hot(), 40_000_000_000_000)
	check(t, err)
	l.node.Solidify()
	after := l.prepared(t, order("USDT", "5", stranger("new"))).Spare()
	if !after.Coin.GreaterThan(before.Coin) || !after.Token.Equal(before.Token) {
		t.Errorf("with energy %+v is to spare, and before it was %+v", after, before)
	}
	if now := l.prepared(t, order("TRX", "5", stranger("new"))).Spare(); !now.Coin.Equal(coins.Coin) {
		t.Errorf("energy is no TRX: %+v, and before %+v", now, coins)
	}
	has, err := l.Resources(t.Context())
	check(t, err)
	if len(has.Payments) != 2 || has.Left <= 0 || has.Left > has.Limit || !has.Payments[1].CostsNow.IsZero() || !has.Payments[1].Costs.IsPositive() {
		t.Errorf("%+v", has)
	}
	_, now := l.sent(t, order("USDT", "5", stranger("new")), 1)
	if now.State != chains.TxMined || now.Fee.GreaterThan(decimal.NewFromInt(1)) {
		t.Errorf("it cost %s in spite of the energy", now.Fee)
	}
	used, err := l.Resources(t.Context())
	check(t, err)
	if takes := has.Payments[1].Takes; has.Left-used.Left < takes*9/10 || has.Left-used.Left > takes*11/10 {
		t.Errorf("%d energy was left, and %d after a payment of %d", has.Left, used.Left, takes)
	}
}

// TestWordsOfTheNode: what a node says of a sent transaction is never a rejection. It may have thrown away what it took.
func TestWordsOfTheNode(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed := l.signed(t, order("TRX", "5", stranger("new")), 1)
	for code, want := range map[string]chains.Outcome{
		"SIGERROR": chains.NotTaken, "CONTRACT_VALIDATE_ERROR": chains.NotTaken, "TAPOS_ERROR": chains.NotTaken, "SERVER_BUSY": chains.NotTaken,
		"NO_CONNECTION": chains.NotTaken, "BANDWITH_ERROR": chains.NotTaken, "OTHER_ERROR": chains.NotTaken, //nolint:misspell // java-tron's own
		"BLOCK_UNSOLIDIFIED": chains.NotTaken, "TRANSACTION_EXPIRATION_ERROR": chains.Expired, "DUP_TRANSACTION_ERROR": chains.Accepted,
	} {
		check(t, l.node.Refuse(code, 1))
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
	l.node.Mine(1)
	check(t, l.node.Refuse("CONTRACT_VALIDATE_ERROR", 1))
	l.outcome(t, signed.Raw, chains.Accepted) // it is in a block, whatever is said
}

// TestStaleSolidBlock: while the chain's blocks do not become solid, what is signed would be over before it is mined.
func TestStaleSolidBlock(t *testing.T) {
	t.Parallel()
	l := on(t, tronnode.Start(t, tronnode.Options{SolidLag: 45}))
	_, err := l.sender.Prepare(t.Context(), single(order("TRX", "5", stranger("new"))))
	if !errors.Is(err, chains.ErrDown) || !says(err, "45 blocks behind") {
		t.Errorf("%v", err)
	}
}

// TestAnotherSeed: a sender has the keys of the xpub.
func TestAnotherSeed(t *testing.T) {
	t.Parallel()
	l := launch(t)
	if _, err := tron.NewSender(l.Connector, []byte("the seed of somebody else, 32 bytes")); !errors.Is(err, tron.ErrKey) {
		t.Errorf("%v, want ErrKey", err)
	}
}
