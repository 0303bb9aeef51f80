package console_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/internal/ops/admin"
)

// A halted network and a stopped hot wallet go on by an admin's form with the right figures, and the audit has it.
//
// Covers operator §Console: An admin lets
func TestNetworksAndWalletsGoOn(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	d.mine(6)
	ethereum, _ := d.workers.Networks.Network("Ethereum")
	d.exec("update followers set halted = true")
	d.exec("delete from chain_blocks where height < (select max(height) from chain_blocks)")
	d.exec("update signing_nonces set next = 3 where network = 'Ethereum'")
	d.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', ?, 3, 5), ('Ethereum', 'a former one', 1, 2)", ethereum.Hot)
	d.exec(`insert into sandbox_transactions (network, txid, sender, sender_match, nonce, recipient, recipient_match, token, amount, state, height)
		values ('Ethereum', 'by hand', ?0, ?0, 4, ?0, ?0, 'ETH', 1, 'mined', 1)`, ethereum.Hot)
	var deepest int
	must(t, d.db.NewRaw("select min(height) from chain_blocks").Scan(t.Context(), &deepest))

	bob, ann := d.person(), d.person()
	bob.login("bob", password)
	ann.login("ann", password)
	if _, page := bob.get("/console/networks"); strings.Contains(page, "/resume") || !strings.Contains(page, "Halted: ") ||
		!strings.Contains(page, "Nothing is signed with "+ethereum.Hot) || !strings.Contains(page, "Nothing is signed with a former one") ||
		!strings.Contains(page, "causeway admin wallet forget removes this entry") {
		t.Errorf("an operator is offered %s", page)
	}
	_, page := ann.get("/console/networks")
	for _, want := range []string{`action="/console/networks/Ethereum/resume"`, `action="/console/networks/Ethereum/resume-wallet"`,
		"below " + strconv.Itoa(deepest), "final: 4 confirmations"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of networks lacks %q: %s", want, page)
		}
	}
	for _, path := range []string{"networks/Ethereum/resume", "networks/Ethereum/resume-wallet"} {
		if status, _ := bob.do(path, "from", "1", "unexplained", "2"); status != http.StatusForbidden {
			t.Errorf("an operator may do %s: %d", path, status)
		}
	}
	for _, c := range []struct{ path, name, value, says string }{
		{"networks/Ethereum/resume", "from", "the last one", "from must be a whole number"},
		{"networks/Ethereum/resume", "from", strconv.Itoa(deepest), "must be below it"},
		{"networks/Nowhere/resume", "from", "1", "there is no network"},
		{"networks/Ethereum/resume", "from", strconv.Itoa(deepest - 1), "Ethereum was resumed from block " + strconv.Itoa(deepest-1)},
		{"networks/Ethereum/resume", "from", strconv.Itoa(deepest - 1), "Ethereum is not halted"},
	} {
		if _, body := ann.do(c.path, c.name, c.value); !strings.Contains(body, c.says) {
			t.Errorf("%s with %s does not say %q: %s", c.path, c.value, c.says, body)
		}
	}
	d.work()
	for _, c := range []struct{ value, says string }{{"-1", "unexplained must be a whole number"}, {"0", "2 nonces are not explained"},
		{"2", "The hot wallet of Ethereum signs again."}, {"0", "is not stopped"}} {
		if _, body := ann.do("networks/Ethereum/resume-wallet", "unexplained", c.value); !strings.Contains(body, c.says) {
			t.Errorf("with %s it does not say %q: %s", c.value, c.says, body)
		}
	}
	for _, want := range []string{"ann network.resume", "ann wallet.resume"} {
		if !slices.Contains(d.audited(), want) {
			t.Errorf("the audit lacks %q: %q", want, d.audited())
		}
	}
}

// A payout with its nonce taken by somebody else is ended by a form of an admin on its page, when the chain shows it.
//
// Covers operator §Console: An admin lets
func TestAPayoutWhoseNonceWasTakenIsBooked(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	d.payin()
	p := d.payout("payout-1", "7")
	d.work()
	history, err := d.store.SignedOf(t.Context(), p.ID)
	must(t, err)
	ethereum, _ := d.workers.Networks.Network("Ethereum")
	draft, err := ethereum.Sender.Prepare(t.Context(), chains.Spend{
		Orders: []chains.Order{{To: p.Wallet, Token: "USDT", Amount: dec("30")}}, Over: [][]byte{history[0].Raw}})
	must(t, err)
	other, err := draft.Sign(chains.Slot{Number: uint64(history[0].Nonce)})
	must(t, err)
	if outcome, why := ethereum.Sender.Broadcast(t.Context(), other.Raw); outcome != chains.Accepted {
		t.Fatal(why)
	}
	d.mine(1)

	bob, ann := d.person(), d.person()
	bob.login("bob", password)
	ann.login("ann", password)
	path, form := "/console/payouts/"+p.ID.String(), `action="/console/networks/Ethereum/book"`
	if _, page := bob.get(path); strings.Contains(page, form) {
		t.Errorf("an operator is offered %s", page)
	}
	if _, page := ann.get(path); !strings.Contains(page, form) {
		t.Errorf("the page of the payout lacks the form: %s", page)
	}
	if status, _ := bob.do("networks/Ethereum/book", "txid", other.Txid); status != http.StatusForbidden {
		t.Errorf("an operator may book: %d", status)
	}
	if _, body := ann.do("networks/Ethereum/book", "txid", other.Txid); !strings.Contains(body, "is not final yet") {
		t.Errorf("before it is final: %s", body)
	}
	d.mine(5)
	if _, body := ann.do("networks/Ethereum/book", "txid", other.Txid); !strings.Contains(body, "The payout is now refunded.") ||
		!strings.Contains(body, "the network did not carry it out") {
		t.Errorf("it is not ended, or another page is shown: %s", body)
	}
	if _, page := ann.get(path); strings.Contains(page, form) {
		t.Errorf("what is ended is offered again: %s", page)
	}
	if !slices.Contains(d.audited(), "ann wallet.book") {
		t.Errorf("the audit is %q", d.audited())
	}
}

// An ended payout undone by its network can be tried again on its page, and no other ended one.
func TestAPayoutThatWasUndoneCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("bob", admin.RoleOperator)
	d.payin()
	p := d.payout("payout-1", "7")
	d.work()
	d.mine(6)
	bob := d.person()
	bob.login("bob", password)
	path := "/console/payouts/" + p.ID.String()
	if _, page := bob.get(path); !strings.Contains(page, "Nothing is left to do: the payout is completed.") {
		t.Errorf("while it is final: %s", page)
	}
	_, err := d.store.DB.ExecContext(t.Context(), "update signed_transactions set state = 'sent', height = null, block = null")
	must(t, err)
	_, page := bob.get(path)
	if !strings.Contains(page, path+"/retry") || strings.Contains(page, path+"/cancel") || !strings.Contains(page, "its network has undone that") {
		t.Errorf("once it is undone: %s", page)
	}
	if _, body := bob.do("payouts/" + p.ID.String() + "/retry"); strings.Contains(body, "there is nothing to try again") {
		t.Errorf("it cannot be tried: %s", body)
	}
}

// Cancelling a payment in a block is answered as too late, with the transaction's id.
func TestACancellationOfWhatIsInABlockIsToldToBeTooLate(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("bob", admin.RoleOperator)
	d.payin()
	p := d.payout("payout-1", "7")
	d.work()
	d.mine(1)
	bob := d.person()
	bob.login("bob", password)
	path := "payouts/" + p.ID.String()
	if _, body := bob.do(path + "/cancel"); !strings.Contains(body, "It is too late to cancel: ") ||
		!strings.Contains(body, "only if the network undoes that") {
		t.Errorf("the answer: %s", body)
	}
	if _, page := bob.get("/console/" + path); !strings.Contains(page, "It is too late to cancel this payout: ") {
		t.Errorf("its page: %s", page)
	}
}

// A payout decided otherwise by its network is dismissed on its page, by a role with the right to act.
func TestAContraryPayoutIsDismissed(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("bob", admin.RoleOperator)
	d.payin()
	p := d.payout("payout-1", "7")
	d.work()
	d.mine(6)
	_, err := d.store.DB.ExecContext(t.Context(), "insert into contrary_transactions (network, txid, payout_id) select 'Ethereum', 'other', id from payouts")
	must(t, err)
	bob := d.person()
	bob.login("bob", password)
	path := "payouts/" + p.ID.String()
	if _, page := bob.get("/console/" + path); !strings.Contains(page, path+"/dismiss") ||
		!strings.Contains(page, "its network has decided otherwise") {
		t.Errorf("it is not offered: %s", page)
	}
	if _, body := bob.do(path + "/dismiss"); !strings.Contains(body, "The payout was removed from the overview.") {
		t.Errorf("the answer: %s", body)
	}
	if _, page := bob.get("/console/" + path); strings.Contains(page, path+"/dismiss") {
		t.Errorf("it is offered again: %s", page)
	}
}

// A spend of a hot wallet undone by a reorganisation is dismissed on the treasury's page, by a role with the right to act. The
// overview counts those it has no room for.
//
// Covers operator §Console: An operator dismisses
func TestAnUndoneSpendIsDismissed(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("bob", admin.RoleOperator)
	d.operator("eve", admin.RoleViewer)
	d.exec(`insert into unknown_spends (network, txid, token, position, recipient, amount, height, decision, undone_at)
		select 'Ethereum', 'undone' || n, 'USDT', p, '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', 7, n, case when n > 1 then 'lost' end, now() - make_interval(secs => n) from generate_series(1, 11) n, generate_series(0, 1) p`)
	d.mine(6)
	bob, eve := d.person(), d.person()
	bob.login("bob", password)
	eve.login("eve", password)
	if _, page := eve.get("/console/"); !strings.Contains(page, "2 earlier ones like these have not been dismissed either") ||
		!strings.Contains(page, "payouts of that token to 0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359 wait") ||
		!strings.Contains(page, "undone10 on Ethereum") || strings.Contains(page, "undone11 on Ethereum") {
		t.Errorf("the overview: %s", page)
	}
	const form = `action="/console/networks/Ethereum/dismiss"`
	if _, page := eve.get("/console/treasury"); strings.Contains(page, form) ||
		!strings.Contains(page, "Spends of hot wallets undone by a reorganisation") || !strings.Contains(page, "2 more came before these") {
		t.Errorf("who may look alone: %s", page)
	}
	if _, page := bob.get("/console/treasury"); strings.Count(page, form) != 10 {
		t.Errorf("%d forms for ten transactions: %s", strings.Count(page, form), page)
	}
	if status, _ := eve.do("networks/Ethereum/dismiss", "txid", "undone1"); status != http.StatusForbidden {
		t.Errorf("who may look alone may dismiss: %d", status)
	}
	for range 2 {
		for i := range 11 {
			_, body := bob.do("networks/Ethereum/dismiss", "txid", "undone"+strconv.Itoa(i+1))
			if first := strings.Contains(body, "The transaction was removed from the overview."); !first && !strings.Contains(body, "is undone") {
				t.Errorf("the answer: %s", body)
			}
		}
	}
	if n := d.count("unknown_spends where decision is null"); n != 0 {
		t.Errorf("%d are not forgotten that nobody has decided on", n)
	}
	if _, page := bob.get("/console/treasury"); strings.Contains(page, form) || strings.Contains(page, "in no block any more") {
		t.Errorf("it is offered again: %s", page)
	}
	if _, page := bob.get("/console/"); strings.Contains(page, "in no block any more") {
		t.Errorf("the overview: %s", page)
	}
	if !slices.Contains(d.audited(), "bob wallet.dismiss") {
		t.Errorf("the audit is %q", d.audited())
	}
}
