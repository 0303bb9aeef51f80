package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"causeway/client"
)

// standIn answers as an API would, to make the examples run.
func standIn(answer string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
}

// A payin is an address for a customer to pay to.
func Example() {
	server := standIn(`{"message":"deposit_created_successfully","data":{"wallet":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","status":"created"}}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	payin, err := c.CreatePayin(context.Background(), client.Payin{
		ReferenceID: "order-2026-0001", CryptoCurrency: "USDT", Network: "Tron", ProcessBy: client.ByCrypto, CryptoAmount: "12.5",
		WebhookURL: "https://shop.example.com/webhooks",
	})
	if client.Is(err, "duplicate_reference_id") {
		fmt.Println("created before: CheckPayin answers it")
		return
	}
	fmt.Println("pay to", payin.Wallet)
	// Output: pay to TJRabPrwbZy45sbavfcjinPJC18kjpRTv8
}

// With an Idempotency-Key a payout is retried safely. A refusal has a code.
func ExampleClient_CreatePayout() {
	server := standIn(`{"message":"payment_processing_completed","summary":{"total_requested":1,"successful":0,"failed":1},
		"results":[{"index":0,"reference_id":"salary-7","error":{"code":"insufficient_balance","message":"The balance does not cover it."}}]}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…", SigningSecret: "…"})
	if err != nil {
		panic(err)
	}
	_, err = c.CreatePayout(context.Background(), "salary-7", client.Payout{
		ReferenceID: "salary-7", CryptoCurrency: "USDT", Network: "Tron", Wallet: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		ProcessBy: client.ByCrypto, CryptoAmount: "100", WebhookURL: "https://shop.example.com/webhooks",
	})
	fmt.Println(client.Is(err, "insufficient_balance"))
	// Output: true
}

// A dry run tells the result of payouts, and pays nothing.
func ExampleClient_RehearsePayouts() {
	server := standIn(`{"message":"payment_processing_completed","dry_run":true,"summary":{"total_requested":1,"successful":1,"failed":0},
		"results":[{"index":0,"reference_id":"salary-7","internal_reference":null,"crypto_amount":"99","network_fee":"1","status":"created"}]}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	would, err := c.RehearsePayouts(context.Background(), []client.Payout{{
		ReferenceID: "salary-7", CryptoCurrency: "USDT", Network: "Tron", Wallet: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		ProcessBy: client.ByCrypto, CryptoAmount: "100", FeeTakenFromAmount: 1, WebhookURL: "https://shop.example.com/webhooks",
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println("the recipient would get", would.Results[0].CryptoAmount)
	// Output: the recipient would get 99
}

// A receiver verifies a webhook before it believes it.
func ExampleVerifyWebhook() {
	seen := map[string]bool{}
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		notice, err := client.VerifyWebhook(r.Header, body, "whsec_…")
		if err != nil {
			http.Error(w, "not ours", http.StatusUnauthorized)
			return
		}
		once := notice.Data.InternalReference + " " + notice.Event
		if !seen[once] {
			seen[once] = true
			fmt.Println(notice.Event, notice.Data.ReferenceID)
		}
	})
	w := httptest.NewRecorder()
	receiver.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/webhooks", http.NoBody))
	fmt.Println(w.Code)
	// Output: 401
}

// A payin is judged by its received amount, not by its status alone.
func ExampleClient_CheckPayin() {
	server := standIn(`{"message":"deposit_retrieved_success","deposit":{"status":"completed","crypto_amount":"12.5","received_amount":"13","payment_status":"overpaid"}}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	payin, err := c.CheckPayin(context.Background(), "order-2026-0001")
	if err != nil {
		panic(err)
	}
	fmt.Println(payin.Status, *payin.PaymentStatus, payin.ReceivedAmount, "of", payin.CryptoAmount)
	// Output: completed overpaid 13 of 12.5
}

// An address can be checked before it is paid to.
func ExampleClient_ValidateAddress() {
	server := standIn(`{"message":"address_validated_success","network":"Tron","wallet":"TJRab","valid":false,"memo":null,"reason":"invalid_format"}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	address, err := c.ValidateAddress(context.Background(), "trc20", "TJRab")
	if err != nil {
		panic(err)
	}
	fmt.Println(address.Network, address.Valid, *address.Reason)
	// Output: Tron false invalid_format
}

// A quote tells the cost of a payout before it is made.
func ExampleClient_GetQuote() {
	server := standIn(`{"message":"quote_retrieved_success","operation":"payout","accepted":true,"options":[
		{"feetakenfromamount":"0","accepted":true,"gross":"101","net":"100"},{"feetakenfromamount":"1","accepted":true,"gross":"100","net":"99"}]}`)
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	quote, err := c.GetQuote(context.Background(), client.QuoteRequest{Operation: "payout", Network: "Tron", Token: "USDT", Amount: "100"})
	if err != nil {
		panic(err)
	}
	for _, option := range quote.Options {
		fmt.Println(*option.FeeTakenFromAmount, "costs", *option.Gross, "and brings", *option.Net)
	}
	// Output:
	// 0 costs 101 and brings 100
	// 1 costs 100 and brings 99
}

// Webhooks not taken by a receiver are sent once more when it can.
func ExampleClient_RedeliverWebhook() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"deliveries":[{"id":"d-1","status":"exhausted"}],"meta":{"total":1}}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"message":"webhook_redelivered_success","delivery":{"id":"d-2","status":"pending","redelivery_of":"d-1"}}`)
	}))
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	missed, err := c.ListWebhookDeliveries(context.Background(), client.DeliveryFilter{Status: "exhausted"})
	if err != nil {
		panic(err)
	}
	for _, webhook := range missed.Deliveries {
		again, err := c.RedeliverWebhook(context.Background(), webhook.ID)
		if err != nil {
			panic(err) // rate_limit_exceeded after 100 in an hour
		}
		fmt.Println(*again.RedeliveryOf, "goes out as", again.ID)
	}
	// Output: d-1 goes out as d-2
}

// Statements come as a table for whoever keeps books in one.
func ExampleClient_StatementsCSV() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "text/csv" {
			_, _ = io.WriteString(w, "id,type,direction\r\n42,DEPOSIT,in\r\n")
		}
	}))
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "cw_live_…"})
	if err != nil {
		panic(err)
	}
	table, err := c.StatementsCSV(context.Background(), client.StatementFilter{Direction: "in"})
	if err != nil {
		panic(err)
	}
	fmt.Print(strings.ReplaceAll(string(table), "\r\n", "\n"))
	// Output:
	// id,type,direction
	// 42,DEPOSIT,in
}
