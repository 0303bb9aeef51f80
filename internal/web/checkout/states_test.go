package checkout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// scenes make a payin for each state of the page, with the texts its page must and must not have in English.
var scenes = map[string]struct {
	make       func(d *desk) uuid.UUID
	says, bare []string
}{
	"waiting": {
		func(d *desk) uuid.UUID { return d.payin(order{}) },
		[]string{`data-state="waiting"`, "Tron (TRC-20)", "Send only USDT, and only on Tron (TRC-20)", `data-copy="25"`, "worth 25.10 USD",
			"<svg class=\"code\"", "13:5", "no wallet can pay this code"},
		[]string{"Receipt", "data-settled", "Open in a wallet"},
	},
	"waiting-memo": {
		func(d *desk) uuid.UUID { return d.payin(order{network: "TON", token: "TON", memo: "12345678"}) },
		[]string{"Do not leave this out", `data-copy="12345678"`, "Copy memo"},
		[]string{"Destination tag"},
	},
	"waiting-tag": {
		func(d *desk) uuid.UUID {
			return d.payin(order{network: "Ripple", token: "XRP", amount: "40.5", memo: "12345678"})
		},
		[]string{"Do not leave this out", "Destination tag", "XRP Ledger", "ripple:", "dt=12345678"},
		[]string{">Memo<"},
	},
	"waiting-long": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{network: "Monero", token: "XMR", amount: "1234567890123.12345678", ends: 23 * time.Hour})
			d.exec("update payins set reference_id = ?, fiat_amount = 987654321987654.99 where id = ?", strings.Repeat("LONG<b>", 30), id)
			return id
		},
		[]string{"monero:4", "tx_amount=1234567890123.12345678", "LONG&lt;b&gt;", "22:59:5"}, []string{"<b>L"},
	},
	"seen": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{})
			d.sees(id, "25", pay.TransferSeen, 100)
			d.head("Tron", 101)
			return id
		},
		[]string{`data-state="seen"`, "2 of 6 confirmations", `<progress max="6" value="2"`, "nothing more to do"},
		[]string{`class="code"`, "data-copy", "Receipt"},
	},
	"seen-mempool": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{})
			d.sees(id, "25", pay.TransferSeen, 0)
			return id
		},
		[]string{`data-state="seen"`, "not in a block yet"},
		[]string{`class="code"`},
	},
	"seen-other-token": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{})
			d.sees(id, "100", pay.TransferSeen, 0, "TRX")
			return id
		},
		[]string{`data-state="seen"`, "100 TRX", "is in another token"},
		[]string{`class="code"`, "nothing more to do"},
	},
	"partial-and-other-token-coming": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{received: "10"})
			d.sees(id, "10", pay.TransferCredited, 90)
			d.sees(id, "15", pay.TransferSeen, 0, "USDC")
			return id
		},
		[]string{`data-state="seen"`, "is in another token"},
		[]string{`class="code"`, "data-copy", "15 USDT still missing"},
	},
	"partial-finer-than-the-books": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{network: "Ethereum", token: "ETH", amount: "10"})
			d.sees(id, "4.000000009", pay.TransferSeen, 0)
			return id
		},
		[]string{"6 ETH still missing", "@1?value=6000000000000000000"}, []string{"5.99"},
	},
	"partial-by-a-finer-network": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{received: "10.12345678"})
			d.sees(id, "10.12345678", pay.TransferCredited, 90)
			return id
		},
		[]string{"14.876544 USDT still missing"}, nil,
	},
	"arbitrum-by-its-chain": {
		func(d *desk) uuid.UUID { return d.payin(order{network: "Arbitrum", token: "ETH"}) },
		[]string{"only on Arbitrum Nova"}, nil,
	},
	"partial": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{received: "10"})
			d.sees(id, "10", pay.TransferCredited, 90)
			return id
		},
		[]string{`data-state="partial"`, "15 USDT still missing", "10 of 25 USDT have arrived or are on the way", `data-copy="15"`,
			`class="code"`, "confirmed"},
		[]string{"worth 25.10 USD"},
	},
	"partial-coming": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{})
			d.sees(id, "24.9", pay.TransferSeen, 0)
			return id
		},
		[]string{`data-state="partial"`, "0.1 USDT still missing", "24.9 of 25 USDT"}, nil,
	},
	"seen-minimum": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{minimum: "95"})
			d.sees(id, "24", pay.TransferSeen, 0)
			return id
		},
		[]string{`data-state="seen"`}, []string{"missing"},
	},
	"paid": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinCompleted, received: "25"})
			d.sees(id, "25", pay.TransferFinal, 90)
			return id
		},
		[]string{`data-state="paid"`, "Café &amp; Sons has received your payment", "Receipt", "Payment reference", "data-settled", "confirmed"},
		[]string{`class="code"`, "data-copy", "http-equiv"},
	},
	"paid-not-final": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinCompleted, received: "25"})
			d.sees(id, "25", pay.TransferCredited, 90)
			return id
		},
		[]string{`data-state="paid"`}, []string{"data-settled"},
	},
	"paid-other-token": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinCompleted, received: "25"})
			d.sees(id, "25", pay.TransferFinal, 90, "USDC")
			return id
		},
		[]string{`data-state="paid"`, "counts as 25 USDT"}, nil,
	},
	"overpaid": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinCompleted, received: "30.5"})
			d.sees(id, "30.5", pay.TransferFinal, 90)
			return id
		},
		[]string{`data-state="overpaid"`, "Paid, with 5.5 USDT too much", "30.5 USDT instead of 25", "Receipt"}, nil,
	},
	"expired": {
		func(d *desk) uuid.UUID { return d.payin(order{status: pay.PayinFailed, ends: -time.Minute}) },
		[]string{`data-state="expired"`, "do not send anything to this address any more"},
		[]string{`class="code"`, "data-copy", "data-settled", ">Receipt<"},
	},
	"expired-before-the-job": {
		func(d *desk) uuid.UUID { return d.payin(order{ends: -time.Second}) },
		[]string{`data-state="expired"`}, []string{`class="code"`},
	},
	"held-by-a-transfer": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{ends: -time.Second})
			d.sees(id, "25", pay.TransferSeen, 0)
			return id
		},
		[]string{`data-state="seen"`}, nil,
	},
	"expired-partly": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinFailed, received: "10", ends: -time.Minute})
			d.sees(id, "10", pay.TransferCredited, 90)
			return id
		},
		[]string{`data-state="expired"`, "10 of 25 USDT arrived and are not lost"}, []string{`class="code"`},
	},
	"expired-lapsed": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinFailed, received: "25", ends: -time.Hour})
			d.sees(id, "25", pay.TransferFinal, 90)
			d.exec("update transfers set weight = 20, worth = 20 where payin_id = ?", id)
			return id
		},
		[]string{`data-state="expired"`, "25 USDT arrived after the payment had expired. The agreed price was no longer valid", "Your money is not lost"},
		[]string{"of 25 USDT", "do not send the rest", `class="code"`},
	},
	"expired-late-in-part": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinFailed, received: "10", ends: -time.Hour})
			d.sees(id, "10", pay.TransferFinal, 90)
			d.exec("update transfers set weight = 8, worth = 8 where payin_id = ?", id)
			return id
		},
		[]string{`data-state="expired"`, "10 of 25 USDT arrived and are not lost"}, []string{"agreed price"},
	},
	"expired-late": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinFailed, ends: -2 * time.Hour})
			d.sees(id, "25", pay.TransferSeen, 0)
			return id
		},
		[]string{`data-state="expired"`, "A payment arrived after the time had run out"}, []string{"data-settled"},
	},
	"expired-long-ago": {
		func(d *desk) uuid.UUID { return d.payin(order{status: pay.PayinFailed, ends: -2 * time.Hour}) },
		[]string{`data-state="expired"`, "data-settled"}, nil,
	},
	"reversed": {
		func(d *desk) uuid.UUID {
			id := d.payin(order{status: pay.PayinReversed})
			d.sees(id, "25", pay.TransferDropped, 90)
			return id
		},
		[]string{`data-state="reversed"`, "The network has undone this payment", "give them the reference below"},
		[]string{`class="code"`, "What was seen", "data-settled"},
	},
}

func TestEveryStateSaysWhatToDo(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: A payin has a page", "api-v1 §The payers' page: Where late money")
	d := open(t)
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			id := scene.make(d)
			body := d.page(id, "en")
			for _, want := range scene.says {
				if !strings.Contains(body, want) {
					t.Errorf("lacks %q", want)
				}
			}
			for _, bare := range scene.bare {
				if strings.Contains(body, bare) {
					t.Errorf("has %q", bare)
				}
			}
			if t.Failed() {
				t.Log(body)
			}
			d.exec("delete from followers")
		})
	}
}

// Every state can be read in every language, and says the language.
func TestEveryStateInEveryLanguage(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: It is in English")
	d := open(t)
	for name, scene := range scenes {
		id := scene.make(d)
		seen := map[string]string{}
		for _, lang := range []string{"en", "es", "pt", "de", "fr", "it", "tr", "ru", "ar", "zh", "ja", "ko"} {
			body := d.page(id, lang)
			if !strings.Contains(body, fmt.Sprintf(`<html lang=%q dir=`, lang)) {
				t.Errorf("%s in %s: %s", name, lang, body)
			}
			start := strings.Index(body, "<h1>")
			title := body[start : start+strings.Index(body[start:], "</h1>")]
			if other, twice := seen[title]; twice && !strings.Contains(title, "Pag") {
				t.Errorf("%s says %q in %s and %s", name, title, lang, other)
			}
			seen[title] = lang
		}
		d.exec("delete from followers")
	}
}
