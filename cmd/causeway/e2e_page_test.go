package main

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/dev/browser"
	"causeway/internal/proof/contract"
)

// asked creates a payin for its payer and returns its page's address.
func (i *installation) asked(lifetime int) string {
	i.t.Helper()
	created, err := i.demo().CreatePayin(i.t.Context(), client.Payin{ReferenceID: uuid.NewString(), Network: "trc20", CryptoCurrency: "USDT",
		ProcessBy: "crypto_amount", CryptoAmount: "30", WebhookURL: i.receiver.url, ExpiresAt: lifetime})
	require.NoError(i.t, err)
	require.Equal(i.t, "http://"+i.listen+"/pay/"+created.InternalReference, created.CheckoutURL)
	require.Equal(i.t, created.CheckoutURL, i.payin(created.InternalReference).CheckoutURL)
	return created.CheckoutURL
}

// TestPayersPage plays payers in a real browser on the whole product: one pays on the page from waiting to the
// receipt, one pays too little and then the rest, one comes too late.
func TestPayersPage(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: The API's port also serves", "operator §Payers' page: Set PUBLIC_BASE_URL",
		"operator §Settings: PUBLIC_BASE_URL",
		"operator §Payers' page: On a simulated network")
	i, b := install(t, "SANDBOX_BLOCK_TIME=0"), browser.Open(t)
	phone := browser.Screen{Width: 360, Height: 740, Languages: "en"}
	mine := func(blocks string) { i.command("sandbox", "mine", "--network", "Tron", "--blocks", blocks) }
	says := func(page *browser.Page, state, headline string) {
		t.Helper()
		page.Await(headline, fmt.Sprintf("document.querySelector('main').dataset.state === %q && document.querySelector('h1').innerText === %q", state, headline))
	}

	whole := b.Page(phone)
	whole.Visit(i.asked(600))
	says(whole, "waiting", "Waiting for your payment")
	require.Equal(t, "Tron (TRC-20)", whole.Text(".network .name"))
	whole.Click("#pay-now")
	says(whole, "seen", "Your payment was seen")
	require.Equal(t, "not in a block yet", whole.Text(".mood"))
	mine("1")
	whole.Await("a confirmation", `document.querySelector(".mood").innerText === "1 of 2 confirmations"`)
	mine("1")
	says(whole, "paid", "Paid")
	whole.Await("the receipt", `document.querySelector(".receipt").innerText.includes("30 USDT") && document.querySelector(".receipt code")`)
	mine("2")
	whole.Await("it is settled, and no longer asked for", `"settled" in document.querySelector("main").dataset`)

	parts := b.Page(phone)
	parts.Visit(i.asked(600))
	says(parts, "waiting", "Waiting for your payment")
	parts.Eval(`document.querySelector("#pay-amount").value = "12.5"`)
	parts.Click("#pay-now")
	says(parts, "partial", "17.5 USDT still missing")
	mine("4")
	parts.Await("the part is credited", `document.querySelector(".mood.good")`)
	require.Equal(t, "17.5", parts.Eval(`document.querySelector("#copy-amount").dataset.copy`))
	parts.Eval(`document.querySelector("#pay-amount").value = "20"`)
	parts.Click("#pay-now")
	says(parts, "seen", "Your payment was seen")
	mine("4")
	says(parts, "overpaid", "Paid, with 2.5 USDT too much")

	script, err := http.Get("http://" + i.listen + "/pay/embed.js")
	require.NoError(t, err)
	require.NoError(t, script.Body.Close())
	require.Equal(t, http.StatusOK, script.StatusCode)
	require.Equal(t, "*", script.Header.Get("Access-Control-Allow-Origin"))

	late := b.Page(phone)
	late.Visit(i.asked(3))
	says(late, "expired", "This payment has expired")
	require.Contains(t, late.Text("#part-status"), "do not send anything to this address any more")
	for _, page := range []*browser.Page{whole, parts, late} {
		require.Empty(t, page.Problems())
	}
}

// TestStoppingAPIEndsLivePages: an API with an open page stops as fast as one without.
func TestStoppingAPIEndsLivePages(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: An API that is told", "operator §Roles: A role that gets")
	a := startAPI(t)
	status, err := a.createPayin(http.DefaultClient, "open-page")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	var id uuid.UUID
	must(t, a.DB.NewRaw("select id from payins").Scan(t.Context(), &id))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+"/pay/"+id.String()+"/live", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "data-state") {
	}
	require.Contains(t, lines.Text(), `data-state="waiting"`)
	began := time.Now()
	require.NoError(t, a.process.Process.Signal(syscall.SIGTERM))
	for lines.Scan() {
	}
	ended := time.Since(began)
	require.NoError(t, a.process.Wait(), a.said)
	require.Less(t, ended, gracePeriod-leavingPeriod, "the stream goes on while the API leaves")
	require.Less(t, time.Since(began), gracePeriod-leavingPeriod, "the API waited for the page")
}
