package sandbox_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// funds are the first holdings of hot wallets, of each coin: about 100,000 USD by the fixed prices.
var funds = map[string]string{"BTC": "2", "ETH": "30", "BNB": "200", "TRX": "400000", "SOL": "700", "XRP": "200000", "ADA": "200000", "DOGE": "800000",
	"POL": "200000", "AVAX": "3000", "CELO": "200000", "CRO": "1000000", "BCH": "200", "BSV": "2000", "BTG": "4000", "XMR": "600", "OKB": "2000",
	"LTC": "1000", "TON": "20000"}

// The first holdings are worth the amount asked for, by the fixed prices even where an operator has pinned another. Existing
// ones stay, whatever a later start asks for, and a token without a price is there too.
//
// Covers operator §Sandbox networks: The hot wallet of each network begins
func TestFundsOfAHumanSize(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	for _, query := range []string{"update prices set pinned = true, fixed = price, price = 1 where base = 'ETH'", "delete from prices where base = 'LTC'"} {
		_, err := db.ExecContext(t.Context(), query)
		must(t, err)
	}
	must(t, sandbox.Genesis(t.Context(), db, amount("30000"), pay.Networks...))
	must(t, sandbox.Genesis(t.Context(), db, amount("7000000"), pay.Networks...))
	for _, n := range sandbox.OpenAll(db, pay.Networks, sandbox.Options{}) {
		for token, want := range map[string]string{"USDT": "30000", "BTC": "0.5", "ETH": "10", "DOGE": "300000", "LTC": "300"} {
			if token != n.Coin && (token != "USDT" || n.Name != "Tron") {
				continue
			}
			if held, err := n.Holder.Holdings(t.Context(), token, []string{n.Hot}, 1); err != nil || !held[0].Equal(amount(want)) {
				t.Errorf("%s: the hot wallet holds %s %s, %v, want %s", n.Name, held, token, err, want)
			}
		}
	}
}

// TestEveryNetwork makes all networks of the contract and checks each one's state at the start.
//
// Covers operator §Sandbox networks: Addresses have the format
// Covers operator §Sandbox networks: A block comes every
func TestEveryNetwork(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	o := sandbox.Operator{DB: db}
	must(t, sandbox.Genesis(t.Context(), db, sandbox.Funds, pay.Networks...))
	must(t, sandbox.Genesis(t.Context(), db, sandbox.Funds, pay.Networks...))
	family := map[pay.Family]string{}
	for _, n := range sandbox.OpenAll(db, pay.Networks, sandbox.Options{}) {
		head, err := n.Scanner.Head(t.Context(), -1)
		if err != nil || head.Height != 1 {
			t.Errorf("%s: head %+v, %v, want height 1", n.Name, head, err)
		}
		if n.Rule.Credit != 2 || n.Rule.Final != 4 || n.Rule.Early() {
			t.Errorf("%s: rule %+v", n.Name, n.Rule)
		}
		address, err := n.Addresser.Derive(t.Context(), 5)
		must(t, err)
		if canonical, err := n.Addresser.Validate(address); err != nil || canonical != address {
			t.Errorf("%s: our address %s is %q, %v", n.Name, address, canonical, err)
		}
		if other, ok := family[n.Family]; ok && other != address {
			t.Errorf("%s: address %s, another network of %s has %s", n.Name, address, n.Family, other)
		}
		family[n.Family] = address
		held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, 1)
		if want := funds[n.Coin]; err != nil || !held[0].Equal(amount(want)) {
			t.Errorf("%s: the hot wallet holds %s %s, %v, want %s", n.Name, held, n.Coin, err, want)
		}
		v, err := o.Show(t.Context(), n.Name, sandbox.Filter{Address: n.Hot})
		must(t, err)
		var tokens int
		must(t, db.NewRaw("select count(*) from tokens where network = ?", n.Name).Scan(t.Context(), &tokens))
		if len(v.Transactions) != tokens || tokens == 0 {
			t.Errorf("%s: %d funding transactions for %d tokens", n.Name, len(v.Transactions), tokens)
		}
	}
}

func TestTxidsHaveTheFormOfTheFamily(t *testing.T) {
	t.Parallel()
	for network, form := range map[string]string{
		"Polygon": "^0x[0-9a-f]{64}$", "Bitcoin": "^[0-9a-f]{64}$", "Ripple": "^[0-9A-F]{64}$", "Solana": "^[1-9A-HJ-NP-Za-km-z]{86,88}$",
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			n, db := open(t, network)
			paid, err := sandbox.Operator{DB: db}.Pay(t.Context(), payment(t, n, "1"))
			must(t, err)
			for _, txid := range []string{paid, sign(t, n, "1", 0).Txid} {
				if !regexp.MustCompile(form).MatchString(txid) {
					t.Errorf("txid %s, want %s", txid, form)
				}
			}
		})
	}
}

func payment(t *testing.T, n *chains.Network, units string) sandbox.Payment {
	t.Helper()
	o := order(t, n, units)
	return sandbox.Payment{Network: n.Name, Token: o.Token, To: o.To, Amount: o.Amount}
}

func TestPayRefuses(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	fine := payment(t, n, "25")
	for name, change := range map[string]func(*sandbox.Payment){
		"network": func(p *sandbox.Payment) { p.Network = "Atlantis" },
		"network not made": func(p *sandbox.Payment) {
			p.Network, p.To, p.Token = "Bitcoin", "12KYrjTdVGjFMtaxERSk3gphreJ5US8aUP", "BTC"
		},
		"token":                  func(p *sandbox.Payment) { p.Token = "BTC" },
		"address":                func(p *sandbox.Payment) { p.To = "nowhere" },
		"zero":                   func(p *sandbox.Payment) { p.Amount = amount("0") },
		"negative":               func(p *sandbox.Payment) { p.Amount = amount("-1") },
		"more decimals than TRX": func(p *sandbox.Payment) { p.Amount = amount("0.0000001") },
		"txid with a quote":      func(p *sandbox.Payment) { p.Txid = "a'b" },
	} {
		p := fine
		change(&p)
		if txid, err := o.Pay(t.Context(), p); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: paid as %q, %v, want an error of one line", name, txid, err)
		}
	}
}

func TestAChosenTxidIsTakenOnce(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	p := payment(t, n, "25")
	p.Txid = "chosen-1"
	txid, err := o.Pay(t.Context(), p)
	if err != nil || txid != "chosen-1" {
		t.Fatalf("paid as %q, %v", txid, err)
	}
	if _, err := o.Pay(t.Context(), p); err == nil {
		t.Error("the same txid was paid twice in the mempool")
	}
	_, err = o.Mine(t.Context(), "tron", 1)
	must(t, err)
	if _, err := o.Pay(t.Context(), p); err == nil {
		t.Error("the same txid was paid twice after it was mined")
	}
	_, err = o.Reorg(t.Context(), "tron", 1, "chosen-1")
	must(t, err)
	changed := p
	changed.Amount = amount("26")
	if _, err := o.Pay(t.Context(), changed); err == nil {
		t.Error("a dropped txid came back as another payment")
	}
	if _, err := o.Pay(t.Context(), p); err != nil {
		t.Errorf("the dropped payment cannot be made again: %v", err)
	}
}

// TestShow pins the wire of `causeway sandbox show`.
//
// Covers operator §Sandbox networks: show answers
func TestShow(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	p := payment(t, n, "25")
	p.Txid, p.Memo, p.Token = "mined-one", "12345678", "usdt"
	_, err := o.Pay(t.Context(), p)
	must(t, err)
	_, err = o.Mine(t.Context(), "Tron", 3)
	must(t, err)
	p.Txid, p.Memo, p.Amount = "pending-one", "", amount("0.000001")
	_, err = o.Pay(t.Context(), p)
	must(t, err)

	v, err := o.Show(t.Context(), "trc20", sandbox.Filter{Address: p.To})
	must(t, err)
	content, err := json.Marshal(v)
	must(t, err)
	from := v.Transactions[0].From
	if _, err := n.Addresser.Validate(from); err != nil {
		t.Errorf("the faucet's address %s: %v", from, err)
	}
	entry := `{"txid":"%s","from":"` + from + `","to":"` + p.To +
		`","token":"USDT","amount":"%s","memo":"%s","status":"%s","block":%s,"confirmations":%d}`
	want := `{"height":4,"transactions":[` + fmt.Sprintf(entry, "mined-one", "25", "12345678", "mined", "2", 3) + "," +
		fmt.Sprintf(entry, "pending-one", "0.000001", "", "pending", "null", 0) + `]}`
	if string(content) != want {
		t.Errorf("got  %s\nwant %s", content, want)
	}
	one, err := o.Show(t.Context(), "Tron", sandbox.Filter{Txid: "pending-one"})
	if err != nil || len(one.Transactions) != 1 || one.Transactions[0].Txid != "pending-one" {
		t.Errorf("by txid: %+v, %v", one, err)
	}
	none, err := o.Show(t.Context(), "Tron", sandbox.Filter{Address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"}) // cannot be paid
	content, _ = json.Marshal(none)
	if err != nil || string(content) != `{"height":4,"transactions":[]}` {
		t.Errorf("nothing found: %s, %v", content, err)
	}
	for f, says := range map[sandbox.Filter]string{
		{Txid: "unknown"}: "unknown is neither in a block of Tron nor in its mempool",
		{Address: "nope"}: "show Tron: the address does not fit the network: length",
	} {
		if _, err := o.Show(t.Context(), "Tron", f); err == nil || err.Error() != says {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestReorgRefuses(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	old, err := o.Pay(t.Context(), payment(t, n, "1"))
	must(t, err)
	_, err = o.Mine(t.Context(), "Tron", 4)
	must(t, err)
	for name, call := range map[string]func() (int64, error){
		"depth 0":             func() (int64, error) { return o.Reorg(t.Context(), "Tron", 0) },
		"the genesis block":   func() (int64, error) { return o.Reorg(t.Context(), "Tron", 5) },
		"an unknown txid":     func() (int64, error) { return o.Reorg(t.Context(), "Tron", 1, "unknown") },
		"a deeper txid":       func() (int64, error) { return o.Reorg(t.Context(), "Tron", 3, old) },
		"no blocks to mine":   func() (int64, error) { return o.Mine(t.Context(), "Tron", 0) },
		"an unknown network":  func() (int64, error) { return o.Mine(t.Context(), "Atlantis", 1) },
		"a network elsewhere": func() (int64, error) { return o.Mine(t.Context(), "Bitcoin", 1) },
	} {
		if height, err := call(); err == nil {
			t.Errorf("%s: done, height %d", name, height)
		}
	}
	if height, err := o.Reorg(t.Context(), "Tron", 4, old); err != nil || height != 6 {
		t.Errorf("down to the genesis block: height %d, %v, want 6", height, err)
	}
}

// TestForksOverForks reorganises again and again: every branch has hashes of its own from its first block on, the blocks below
// keep theirs, and only forks still shown are remembered.
func TestForksOverForks(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	_, err := o.Mine(t.Context(), "Tron", 20)
	must(t, err)
	seen := map[string]bool{}
	before := hashes(t, n)
	for _, depth := range []int{2, 5, 1, 9, 3, 3, 14} {
		for _, h := range before {
			seen[h] = true
		}
		height, err := o.Reorg(t.Context(), "Tron", depth)
		must(t, err)
		after := hashes(t, n)
		kept := int64(len(before) - depth)
		if height != int64(len(before))+1 || int64(len(after)) != height {
			t.Fatalf("height %d, %d blocks after a reorganisation of %d", height, len(after), len(before))
		}
		for i, h := range after {
			if kept > int64(i) && h != before[i] || kept <= int64(i) && seen[h] {
				t.Errorf("depth %d: block %d has hash %s", depth, i+1, h)
			}
		}
		before = after
	}
	var forks int
	must(t, db.NewRaw("select count(*) from sandbox_forks").Scan(t.Context(), &forks))
	if forks != 1 {
		t.Errorf("%d forks are remembered, the deepest one hides all others", forks)
	}
}

func hashes(t *testing.T, n *chains.Network) (out []string) {
	t.Helper()
	blocks, err := n.Scanner.Blocks(t.Context(), 1, 1000)
	must(t, err)
	for i, b := range blocks {
		if i > 0 && b.Parent != blocks[i-1].Hash {
			t.Errorf("block %d is not on block %d", b.Height, b.Height-1)
		}
		out = append(out, b.Hash)
	}
	return out
}
