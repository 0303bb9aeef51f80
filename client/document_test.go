package client

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"causeway/api"
)

// described is the part of the OpenAPI document for these tests.
type described struct {
	Paths map[string]map[string]struct {
		ID        string             `json:"operationId"`
		Responses map[string]answers `json:"responses"`
	} `json:"paths"`
	Webhooks map[string]map[string]struct {
		Body answers `json:"requestBody"`
	} `json:"webhooks"`
}

type answers struct {
	Content map[string]struct {
		Examples map[string]struct {
			Value json.RawMessage `json:"value"`
		} `json:"examples"`
	} `json:"content"`
}

func readDocument(t *testing.T) (out described) {
	t.Helper()
	text, err := api.Document(new(api.Operations).Routes(), "")
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	methods := reflect.TypeFor[*Client]()
	n := 0
	for path, operations := range readDocument(t).Paths {
		for verb, o := range operations {
			n++
			if _, ok := methods.MethodByName(strings.ToUpper(o.ID[:1]) + o.ID[1:]); !ok {
				t.Errorf("%s %s: the client has no method %s", verb, path, o.ID)
			}
		}
	}
	if n < 19 {
		t.Errorf("the document has only %d operations", n)
	}
}

// read are the types for the answers of each operation.
var read = map[string]func() any{
	"createPayout": func() any { return new(PayoutResults) }, "listPayouts": func() any { return new(PayoutList) },
	"checkPayout": func() any { return new(payoutFound) }, "createPayin": func() any { return new(payinCreated) },
	"listPayins": func() any { return new(PayinList) }, "checkPayin": func() any { return new(payinFound) },
	"getBalances": func() any { return new(Balances) }, "listStatements": func() any { return new(Statements) },
	"summarizeStatements": func() any { return new(statementsSummary) }, "getSummary": func() any { return new(summaryFound) },
	"getTokens": func() any { return new(tokensFound) }, "getFiats": func() any { return new(fiatsFound) },
	"getPrice": func() any { return new(Price) }, "getCurrencies": func() any { return new(Currencies) },
	"listFixedWallets": func() any { return new(FixedWallets) }, "createFixedWallet": func() any { return new(AssignedWallet) },
	"listFixedWalletTypes": func() any { return new(WalletTypes) }, "getFixedWalletConfig": func() any { return new(configFound) },
	"setFixedWalletConfig": func() any { return new(configFound) }, "validateAddress": func() any { return new(ValidatedAddress) },
	"getQuote": func() any { return new(Quote) }, "listWebhookDeliveries": func() any { return new(WebhookDeliveries) },
	"createPaymentRequest": func() any { return new(requestFound) }, "checkPaymentRequest": func() any { return new(requestFound) },
	"createPaymentLink": func() any { return new(linkFound) }, "checkPaymentLink": func() any { return new(linkFound) },
	"endPaymentLink": func() any { return new(linkFound) }, "listPaymentLinks": func() any { return new(PaymentLinks) },
	"createRefund": func() any { return new(refundFound) }, "checkRefund": func() any { return new(refundFound) },
	"revokeRefund": func() any { return new(refundFound) }, "listPayinRefunds": func() any { return new(PayinRefunds) },
	"getWebhookDelivery": func() any { return new(deliveryFound) }, "redeliverWebhook": func() any { return new(deliveryAgain) },
}

// Every property of every documented success is one of the client's types, and writes back the same.
func TestTypesHoldWholeAnswers(t *testing.T) {
	t.Parallel()
	for path, operations := range readDocument(t).Paths {
		for verb, o := range operations {
			for status, answer := range o.Responses {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				for name, example := range answer.Content["application/json"].Examples {
					if read[o.ID] == nil {
						t.Fatalf("%s %s: no type is known for %s", verb, path, o.ID)
					}
					holds(t, o.ID+" "+status+" "+name, example.Value, read[o.ID]())
				}
			}
		}
	}
}

func TestNoticesAreUnderstood(t *testing.T) {
	t.Parallel()
	notices := readDocument(t).Webhooks
	for event, hook := range notices {
		for name, example := range hook["post"].Body.Content["application/json"].Examples {
			notice := new(Notice)
			holds(t, event+" "+name, example.Value, notice)
			if notice.Event != event || notice.Data.InternalReference == "" || notice.Timestamp.IsZero() {
				t.Errorf("%s: %+v", event, notice)
			}
		}
	}
	if len(notices) != 6 {
		t.Errorf("%d events", len(notices))
	}
}

func holds(t *testing.T, what string, text []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Errorf("%s: %v in %s", what, err, text)
	}
}
