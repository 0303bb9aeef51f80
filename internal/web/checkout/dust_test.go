package checkout_test

import (
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// A page names the largest of very many transfers, whoever sent them, and takes all into account.
func TestAPageNamesTheLargestTransfers(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §8: Of a payin with more than 500 transfers")
	d := open(t)
	id := d.payin(order{received: "0.0006"})
	d.sees(id, "0.000001", pay.TransferFinal, 90)
	d.exec(`insert into transfers (id, network, txid, token, position, address, sender, amount, payin_id, status, height, credits, credited, counted)
		select gen_random_uuid(), network, 'dust-' || i, token, 0, address, sender, amount, payin_id, 'final', 90, 1, credited, counted
		from transfers, generate_series(1, 599) i`)
	d.sees(id, "24.9994", pay.TransferSeen, 0)
	d.exec(`insert into transfers (id, network, txid, token, position, address, sender, amount, payin_id, status)
		values (gen_random_uuid(), 'Tron', 'small', 'USDT', 0, 'a', 's', 0.0000001, ?, 'seen')`, id)
	d.head("Tron", 100)
	body := d.page(id, "en")
	for _, want := range []string{"24.9994 USDT", "and 102 more", `data-state="seen"`} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if n := strings.Count(body, `class="txid"`); n != 500 {
		t.Errorf("it names %d transfers", n)
	}
	if strings.Contains(body, "data-settled") {
		t.Error("it is settled, though something is on its way")
	}
}
