package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/ledger"
	"causeway/tasks"
)

// tokens are the tokens moved on each network; the ledger's asset is the symbol.
var tokens = map[string][]string{"Tron": {"USDT", "TRX"}, "Ethereum": {"USDT", "ETH"}, "BinanceSmartChain": {"USDT", "BNB"}, "Ripple": {"XRP"},
	"Bitcoin": {"BTC"}}

// seals are those of every payout of the simulation.
var seals = vault.NewSealer("payout", make([]byte, vault.KeySize))

// requestPayouts sends one to four payouts in one request, some of them with a reference used before.
func (w *world) requestPayouts() {
	var items []store.PayoutItem
	taken := map[string]bool{}
	for range 1 + w.random.IntN(4) {
		p := w.newPayout()
		if len(w.payouts) > 0 && w.chance(15) {
			p.MerchantID, p.ReferenceID = sameAs(pick(w, w.payouts))
		}
		if name := p.MerchantID.String() + p.ReferenceID; !taken[name] {
			taken[name] = true
			p.Seal = seals.Make(p.Sealed()...)
			items = append(items, store.PayoutItem{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest})
			w.payouts = append(w.payouts, p)
		}
	}
	left, doom := w.fate()
	w.spawn(fmt.Sprintf("a client with %d payouts", len(items)), left, doom, func(ctx context.Context) error {
		out, err := w.store.RecordPayouts(ctx, items)
		if err != nil {
			return err
		}
		var ring []tasks.Job
		for i, o := range out {
			w.trace("payout of %s %s is %s", items[i].Payout.Debit, items[i].Payout.Asset, o.Outcome)
			if o.Outcome == "created" {
				w.answered = append(w.answered, items[i].Payout.ID)
				ring = append(ring, tasks.Job{Kind: tasks.BroadcastPayout, Ref: items[i].Payout.ID})
			}
		}
		return w.bell.Ring(ctx, ring...)
	})
}

func sameAs(p *pay.Payout) (uuid.UUID, string) { return p.MerchantID, p.ReferenceID }

// newPayout draws a payout to a destination of its own.
func (w *world) newPayout() *pay.Payout {
	network := w.network()
	n, _ := w.registry.Network(network)
	w.serial++
	to := w.address(n, uint32(1_000_000+w.serial))
	token := pick(w, tokens[network])
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: pick(w, w.merchants), KeyID: "key",
		ReferenceID: fmt.Sprint("payout-", w.serial), Wallet: to,
		Token: token, Asset: token, Network: network, ProcessBy: pay.ByCrypto, NetworkFee: decimal.NewFromInt(w.random.Int64N(2)), PaysNetworkFee: w.chance(70),
		PercentRate: decimal.NewFromInt(w.random.Int64N(3)), FeeFromAmount: w.chance(30), FiatCurrency: "USD", WebhookURL: w.receiver.url}
	if ledger.PayoutFees(p, w.amount(30, 3), 6) != nil {
		p.FeeFromAmount = false
		_ = ledger.PayoutFees(p, decimal.NewFromInt(1), 6)
	}
	return p
}

// cancelPayout is the operator's wish to stop one.
func (w *world) cancelPayout() {
	if len(w.payouts) == 0 {
		return
	}
	p := pick(w, w.payouts)
	err := w.store.InTx(w.t.Context(), func(tx *store.Store) error {
		ok, err := tx.CancelPayout(w.t.Context(), p.ID)
		if err != nil || !ok {
			return err
		}
		return tx.AddJob(w.t.Context(), string(tasks.BroadcastPayout), p.ID, 0)
	})
	w.must(err)
	w.trace("the operator cancels a payout")
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// requestPayin asks for money, on an address of its own or, where memos are, with a memo.
func (w *world) requestPayin() {
	network := w.network()
	n, _ := w.registry.Network(network)
	w.serial++
	token := pick(w, tokens[network])
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: pick(w, w.merchants), ReferenceID: fmt.Sprint("payin-", w.serial),
		Token: token, Asset: token, Network: network,
		ProcessBy: pay.ByCrypto, Amount: w.amount(40, 2), FiatCurrency: "USD", MinimumPayment: decimal.NewFromInt(pick(w, []int64{100, 100, 90})),
		PercentRate: decimal.NewFromInt(w.random.Int64N(3)), PaysNetworkFee: true, NetworkFee: decimal.New(w.random.Int64N(200), -2),
		WebhookURL: w.receiver.url, Status: pay.PayinPending,
		ExpiresAt: w.now().Add(time.Duration(5+w.random.IntN(600)) * time.Second)}
	a := w.derive(n)
	if n.Memo {
		shared := w.address(n, 0)
		memo := fmt.Sprint(w.serial)
		a.Position, a.Address, a.Match, a.Memo, p.Memo = 0, shared, n.Addresser.Match(shared), memo, &memo
	}
	p.Wallet, a.PayinID = a.Address, &p.ID
	left, doom := w.fate()
	w.spawn("a client with a payin", left, doom, func(ctx context.Context) error {
		err := w.store.InTx(ctx, func(tx *store.Store) error {
			_, err := tx.AddPayin(ctx, p, a)
			return err
		})
		if err == nil { // nobody knows the address before
			w.payins = append(w.payins, place{network, a.Address, a.Memo})
		}
		return err
	})
}

// pay sends money to one of our places: to a payin or a wallet, on any network of its family, of any token.
func (w *world) pay() {
	to := pick(w, append(w.wallets[:len(w.wallets):len(w.wallets)], w.payins...))
	to.network = pick(w, w.family(to.network))
	token := pick(w, tokens[to.network])
	if to.memo != "" && w.chance(15) {
		to.memo = pick(w, []string{"", "4294967295"})
	}
	amount := w.amount(60, 2)
	if w.chance(10) {
		amount = amount.Add(decimal.New(1, -6))
	}
	if (token == "ETH" || token == "BNB") && w.chance(30) {
		amount = amount.Add(decimal.New(1+w.random.Int64N(1000), -18)) // finer than the ledger
	}
	p := sandbox.Payment{Network: to.network, Token: token, To: to.address, Memo: to.memo, Amount: amount}
	if to.network != "Bitcoin" && w.along.IntN(100) < 60 {
		p.Beside = decimal.New(1+w.along.Int64N(500), -4)
		p.Cost = p.Beside.Mul(decimal.New(w.along.Int64N(11), -1)) // sometimes nothing, sometimes all of it
	}
	txid, err := w.chain.Pay(w.t.Context(), p)
	w.must(err)
	w.payments = append(w.payments, payment{to.network, txid})
	w.trace("%s %s arrive on %s", amount, token, to.network)
}

// family returns the networks where an address of this one is ours.
func (w *world) family(name string) []string {
	n, _ := w.registry.Network(name)
	return slices.DeleteFunc(slices.Clone(networks), func(other string) bool {
		o, _ := w.registry.Network(other)
		return o.Family != n.Family
	})
}

// fund lets money arrive at every fixed wallet, on each network of its family, and be final: there is something to pay
// out.
func (w *world) fund() {
	for _, to := range w.wallets {
		for _, name := range w.family(to.network) {
			for _, token := range tokens[name] {
				txid, err := w.chain.Pay(w.t.Context(), sandbox.Payment{Network: name, Token: token, To: to.address, Amount: w.amount(200, 2)})
				w.must(err)
				w.payments = append(w.payments, payment{name, txid})
			}
		}
	}
	for range 3 {
		for _, name := range networks {
			w.mineOn(name, 2)
		}
		w.must(w.clock.pass(31 * time.Second))
		w.round()
	}
}
