package webhooks_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"causeway/internal/pay"
	"causeway/internal/webhooks"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

var update = flag.Bool("update", false, "write the golden files")

var eventTime = time.Date(2026, 10, 10, 21, 30, 5, 999, time.FixedZone("UTC-3", -3*3600))

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func somePayout() *pay.Payout {
	return &pay.Payout{
		ID: uuid.MustParse("0199d0a0-0000-7000-8000-000000000001"), ReferenceID: "order <1> & 2", Network: "Tron",
		Token: "USDT", Amount: dec("99.50000000"), NetworkFee: dec("1.00000000"), PercentRate: dec("0.500000"),
		FiatCurrency: "USD", FiatAmount: decimal.NewNullDecimal(dec("99.5")), Wallet: "TXyz", Txid: new("abc123"),
	}
}

func somePayin() *pay.Payin {
	return &pay.Payin{
		ID: uuid.MustParse("0199d0a0-0000-7000-8000-000000000002"), ReferenceID: "r-2", Network: "Ethereum", Token: "USDT",
		Amount: dec("10.00000000"), Received: dec("12.50000000"), FiatCurrency: "BRL", Wallet: "0xabc", CustomerInfo: new("c-1"), Status: pay.PayinCompleted,
		ExpiresAt: eventTime.Add(time.Hour),
	}
}

func transfer(txid, token, amount, counted string, status pay.TransferStatus, credits int) pay.Transfer {
	return pay.Transfer{
		Network: "Ethereum", Txid: txid, Token: token, Credited: dec(amount), Counted: dec(counted),
		Status: status, Credits: credits, SeenAt: eventTime,
	}
}

// Covers addendum §11: Body:
// Covers addendum §8: A record with late money
// Covers api-v1 §Events: payment_processed
// Covers api-v1 §Events: payment_failed
// Covers api-v1 §Events: payment_confirmed
// Covers api-v1 §Events: payment_reversed
// Covers api-v1 §Versioning: breaking · payment_reversed
func TestBodies(t *testing.T) {
	t.Parallel()
	usdt := transfer("0x01", "USDT", "10", "10", pay.TransferFinal, 1)
	eth := transfer("0x02", "ETH", "0.00100000", "2.5", pay.TransferFinal, 1)
	locked := transfer("0x03", "USDT", "1", "1", pay.TransferCredited, 1)
	seen := transfer("0x04", "USDT", "0", "0", pay.TransferSeen, 0)
	seen.Amount = dec("10")
	dropped := transfer("0x05", "USDT", "7", "0", pay.TransferDropped, 1)

	failed := somePayout()
	failed.Reason, failed.Txid, failed.FiatAmount, failed.Memo = new("rejected by the network"), nil, decimal.NullDecimal{}, new("12345678")
	fixed := somePayin()
	fixed.WalletID = new(uuid.New())
	unpaid := somePayin()
	unpaid.Received, unpaid.CustomerInfo, unpaid.Status = dec("0"), nil, pay.PayinPending
	expired := *unpaid
	expired.Status = pay.PayinFailed
	part := transfer("0x03", "USDT", "4", "4", pay.TransferCredited, 1)
	short := *unpaid
	short.Received = dec("4")
	over, late := expired, part
	over.Received, over.ExpiresAt = dec("4"), eventTime.Add(-time.Second)
	late.Worth = decimal.NewNullDecimal(dec("3.2"))
	reversed := somePayin()
	reversed.Status = pay.PayinReversed
	reversed.ReversedAt, reversed.Reversal = &eventTime, json.RawMessage(`{"USDT": 7.00000000, "ETH": "0.10000000"}`)

	cases := map[string]func() ([]byte, error){
		"payout_processed": func() ([]byte, error) { return webhooks.PayoutBody(pay.PaymentProcessed, somePayout(), eventTime) },
		"payout_failed":    func() ([]byte, error) { return webhooks.PayoutBody(pay.PaymentFailed, failed, eventTime) },
		"payin_detected": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentDetected, unpaid, &pay.PayinTransfers{Shown: []pay.Transfer{seen}}, nil, eventTime)
		},
		"payin_confirmed": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentConfirmed, somePayin(), &pay.PayinTransfers{Shown: []pay.Transfer{usdt, usdt, eth, locked, seen, dropped}}, nil, eventTime)
		},
		"payin_confirmed_final": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentConfirmed, fixed, &pay.PayinTransfers{Shown: []pay.Transfer{usdt, eth}}, nil, eventTime)
		},
		"payin_failed": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentFailed, &expired, &pay.PayinTransfers{}, nil, eventTime)
		},
		"payin_updated": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentUpdated, &short, &pay.PayinTransfers{Shown: []pay.Transfer{part, seen}},
				&webhooks.Update{Reason: pay.UpdatePartial, Transfers: []pay.Transfer{part}}, eventTime)
		},
		"payin_late": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentUpdated, &over, &pay.PayinTransfers{Shown: []pay.Transfer{late}},
				&webhooks.Update{Reason: pay.UpdateLate, Transfers: []pay.Transfer{late}}, eventTime)
		},
		"payin_reversed_partly": func() ([]byte, error) {
			return webhooks.PayinBody(pay.PaymentReversed, reversed, &pay.PayinTransfers{Shown: []pay.Transfer{usdt, dropped}}, nil, eventTime)
		},
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := build()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, name, got)
		})
	}
}

// compare holds a body, spread over lines, against its golden file.
func compare(t *testing.T, name string, body []byte) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", pretty.Bytes(), want)
	}
}

func TestEventsOfTheOtherKindAreErrors(t *testing.T) {
	t.Parallel()
	for _, event := range []pay.Event{pay.PaymentDetected, pay.PaymentConfirmed, pay.PaymentReversed, ""} {
		if _, err := webhooks.PayoutBody(event, somePayout(), eventTime); err == nil {
			t.Errorf("payout: %q was accepted", event)
		}
	}
	for _, event := range []pay.Event{pay.PaymentProcessed, pay.PaymentUpdated, ""} { // an update names its transfers
		if _, err := webhooks.PayinBody(event, somePayin(), &pay.PayinTransfers{}, nil, eventTime); err == nil {
			t.Errorf("payin: %q was accepted", event)
		}
	}
}

func TestAFailureAlwaysHasAReason(t *testing.T) {
	t.Parallel()
	body, err := webhooks.PayoutBody(pay.PaymentFailed, somePayout(), eventTime)
	if err != nil || !bytes.Contains(body, []byte(`"reason":"failed"`)) {
		t.Fatalf("%s, %v", body, err)
	}
}

func TestDuplicate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ body, want string }{
		"adds": {
			`{"data":{"b":"1.50","a":1.50},"event":"x","timestamp":"t"}`,
			`{"data":{"b":"1.50","a":1.50,"is_duplicated":true},"event":"x","timestamp":"t"}`,
		},
		"replaces in place": {
			`{"data":{"is_duplicated":false,"z":"<&>\u00e9é"},"event":"x"}`,
			`{"data":{"is_duplicated":true,"z":"<&>\u00e9é"},"event":"x"}`,
		},
		"long numbers": {
			`{"event":"x","data":{"n":123456789012345678901234567890.10000000000000000001}}`,
			`{"event":"x","data":{"n":123456789012345678901234567890.10000000000000000001,"is_duplicated":true}}`,
		},
		"nested names": {
			`{"data":{"a":{"is_duplicated":false}},"x":[{"data":{}}]}`,
			`{"data":{"a":{"is_duplicated":false},"is_duplicated":true},"x":[{"data":{}}]}`,
		},
		"empty data": {`{"data":{}}`, `{"data":{"is_duplicated":true}}`},
		"twice": {
			`{"data":{"is_duplicated":true}}`,
			`{"data":{"is_duplicated":true}}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := webhooks.Duplicate([]byte(c.body))
			if err != nil || string(got) != c.want {
				t.Fatalf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
	for _, bad := range []string{``, `{`, `[]`, `null`, `{}`, `{"data":1}`, `{"data":null}`, `{"data":{}`, `{"data":{"a":}}`,
		`{"data":{"a"`, "\xff"} {
		if got, err := webhooks.Duplicate([]byte(bad)); err == nil {
			t.Errorf("%q became %s", bad, got)
		}
	}
}

func FuzzDuplicate(f *testing.F) {
	f.Add([]byte(`{"data":{"b":"1.50","is_duplicated":false},"event":"x","timestamp":"t"}`))
	f.Add([]byte(`{"data":{"a":1e400,"":null},"data":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		once, err := webhooks.Duplicate(body)
		if err != nil {
			return
		}
		twice, err := webhooks.Duplicate(once)
		if err != nil || !bytes.Equal(once, twice) || !json.Valid(once) {
			t.Fatalf("%q became %q, then %q (%v)", body, once, twice, err)
		}
	})
}
