package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/ledger"
)

// post writes entries to the ledger.
func (s *shop) book(entries ...ledger.Entry) {
	s.t.Helper()
	if _, err := ledger.Post(s.t.Context(), s.db, entries...); err != nil {
		s.t.Fatal(err)
	}
}

// withEveryMovement has every type on its statement, and postings of ours beside them.
func withEveryMovement(t *testing.T) *shop {
	s, id := withMovements(t)
	payin := uuid.MustParse(id)
	in := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Txid: "tx-3", Token: "USDT", PayinID: &payin,
		Status: pay.TransferCredited, Credits: 1,
		Amount: dec("7"), Credited: dec("7"), RateFee: dec("0.07")}
	out := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: s.merchant, ReferenceID: "out-1", Asset: "USDT", Network: "Tron",
		Amount: dec("10"), Debit: dec("11.2"), RateFee: dec("0.2"), NetworkFee: dec("1"), PaysNetworkFee: true}
	s.book(ledger.PayinCredited(s.merchant, "USDT", in), ledger.PayinReversed(s.merchant, "USDT", in))
	s.book(ledger.PayoutHeld(out), ledger.PayoutRefunded(out))
	s.book(ledger.TreasuryFunded("USDT", &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Token: "USDT", Amount: dec("1000"), Credits: 1}))
	return s
}

func TestStatementsShowTheMovementsOfTheAPI(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Versioning: breaking · Statements and their summary", "api-v1 §What the service does: Queries answer",
		"api-v1 §Other operations: GET /v1/statements, GET /v1/statements/summary (statements:read)",
		"addendum §6: A payout moves minus", "addendum §6: Payins. Crediting")
	s := withEveryMovement(t)
	var listed, summed []string
	got := s.get("/v1/statements")
	for i := range got.list("statements") {
		line := reply(got.list("statements")[i].(map[string]any))
		listed = append(listed, fmt.Sprint(line["type"], " ", line["direction"], " ", line["amount"], " ", line["balance_after"]))
	}
	want := []string{
		"WITHDRAWAL_REFUND in 11.20000000 194.00000000",
		"FEE out 1.00000000 182.80000000", "RATE out 0.20000000 183.80000000", "WITHDRAWAL out 10.00000000 184.00000000",
		"DEPOSIT_REVERSAL out 6.93000000 194.00000000", "RATE out 0.07000000 200.93000000", "DEPOSIT in 7.00000000 201.00000000",
	}
	if !slices.Equal(listed[:min(7, len(listed))], want) || len(listed) != 13 {
		t.Errorf("%d movements:\n%s", len(listed), strings.Join(listed, "\n"))
	}
	got = s.get("/v1/statements/summary")
	for i := range got.list("summary") {
		sum := reply(got.list("summary")[i].(map[string]any))
		summed = append(summed, fmt.Sprint(sum["type"], " ", sum["direction"], " ", sum["count"], " ", sum["total_amount"]))
	}
	want = []string{"DEPOSIT in 3 207.00000000", "DEPOSIT_REVERSAL out 1 6.93000000", "FEE out 3 5.00000000", "RATE out 4 2.27000000",
		"WITHDRAWAL out 1 10.00000000", "WITHDRAWAL_REFUND in 1 11.20000000"}
	if !slices.Equal(summed, want) {
		t.Errorf("summed up:\n%s", strings.Join(summed, "\n"))
	}
	for _, kind := range []string{"DEPOSIT", "WITHDRAWAL", "RATE", "FEE", "WITHDRAWAL_REFUND", "DEPOSIT_REVERSAL"} {
		if n := len(s.get("/v1/statements?type=" + kind).list("statements")); n == 0 {
			t.Errorf("no %s", kind)
		}
	}
}

// A day of a statement is one of UTC-03:00, both ends included.
func TestStatementDays(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §General conventions: 3", "addendum §10: GET /v1/statements filters", "addendum §10: GET /v1/statements/summary")
	s, _ := withMovements(t)
	for _, at := range []string{"2026-05-01 02:59:59.999+00", "2026-05-01 03:00:00+00", "2026-05-02 02:59:59.999+00", "2026-05-02 03:00:00+00"} {
		s.exec(`with e as (insert into entries (subject, kind, turn, digest) values (gen_random_uuid(), 'payin_credited', 0, '') returning id)
			insert into postings (id, from_account, to_account, asset, amount, merchant_id, movement, types, balance_after, subject, network, created_at)
			select e.id * 16 + 1, from_account, to_account, asset, amount, merchant_id, movement, movement, balance_after, subject, network, ?
			from e, (select * from postings where movement is not null order by id limit 1) p`, at)
	}
	for query, want := range map[string]int{
		"date_to=2026-04-30": 1, "date_to=2026-05-01": 3, "date_from=2026-05-01&date_to=2026-05-01": 2, "date_from=2026-05-02&date_to=2026-05-02": 1,
		"date_from=2026-05-02&date_to=2026-06-30": 1,
	} {
		sum := 0.0
		for _, one := range s.get("/v1/statements/summary?" + query).list("summary") {
			sum += one.(map[string]any)["count"].(float64)
		}
		if got := s.get("/v1/statements?" + query); got.at("meta.total") != float64(want) || len(got.list("statements")) != want ||
			sum != float64(want) {
			t.Errorf("%s: %v on the list, %v summed up, want %d", query, got.at("meta.total"), sum, want)
		}
	}
}
