package main

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/client"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
)

// blocks are quick, so the scenario takes seconds.
const quickBlocks = "SANDBOX_BLOCK_TIME=200ms"

// TestMainJob is the product in one test: a payin paid in two parts, a mixed batch of payouts, webhooks, and the sums
// of the books.
//
// Covers api-v1 §What the service does: Causeway moves
// Covers api-v1 §What the service does: Payins
// Covers api-v1 §What the service does: Webhooks tell
// Covers operator §Roles: causeway dev
// Covers operator §dev: The demo merchant has money
// Covers operator §Console: causeway dev makes
func TestMainJob(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	i.demoLogsIn()
	i.mainJob()
}

// demoLogsIn logs in to the console with the name and password in dev.json and the fields of the login page.
func (i *installation) demoLogsIn() {
	t, d := i.t, i.file()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	desk := &http.Client{Jar: jar, Timeout: time.Minute}
	answer := func(response *http.Response, err error) string {
		t.Helper()
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		return string(body)
	}
	require.Contains(t, answer(desk.Get(d.OperatorURL+"/console/login")), d.OperatorPass) //nolint:noctx // the client has a time limit
	page := answer(desk.PostForm(d.OperatorURL+"/console/login", url.Values{"name": {d.OperatorName}, "password": {d.OperatorPass}}))
	require.Equal(t, "demo", d.OperatorName)
	require.NotContains(t, page, d.OperatorPass)
	var all []admin.Operator
	require.NoError(t, json.Unmarshal([]byte(i.command("admin", "operator", "list")), &all))
	require.Len(t, all, 1)
	require.Equal(t, admin.RoleAdmin, all[0].Role)
}

// TestMainJobSurvivesKills kills the whole product ten times at random moments of the same scenario.
//
// Covers operator §dev: DATABASE_URL and REDIS_URL are used
func TestMainJobSurvivesKills(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var killer sync.WaitGroup
	killer.Go(func() {
		for range 10 {
			timer := time.NewTimer(time.Duration(100+random.IntN(1200)) * time.Millisecond)
			<-timer.C
			i.kill()
			i.start()
		}
	})
	i.mainJob()
	killer.Wait()
	i.awaitReady()
	i.addsUp()
}

// mainJob runs the scenario; every step may be interrupted.
func (i *installation) mainJob() {
	t := i.t
	i.receiver.mu.Lock()
	i.receiver.secret = i.file().WebhookSecret
	i.receiver.mu.Unlock()

	payin, wallet := i.createPayin("30")
	i.pays("Tron", "USDT", wallet, "12", "part-1")
	testkit.Eventually(t, time.Minute, func() bool { return i.payin(payin).ReceivedAmount == "12" }, "the first part is credited")
	part := i.payin(payin)
	require.Equal(t, "pending", part.Status)
	require.Equal(t, "partial", *part.PaymentStatus)
	i.pays("Tron", "USDT", wallet, "18", "part-2")
	testkit.Eventually(t, time.Minute, func() bool { return i.payin(payin).Status == "completed" }, "the payin is completed")
	testkit.Eventually(t, time.Minute, func() bool { return i.balances().Available["USDT"] == "10030.00000000" }, "the money is final")

	tron, ethereum := addresses.Encode("Tron", [32]byte{1}), addresses.Encode("Ethereum", [32]byte{2})
	payouts := i.createPayouts(tron, ethereum)
	for _, reference := range payouts {
		i.paidOut(reference)
	}
	i.told(payin, "payment_detected", "payment_confirmed")
	i.told(payouts[0], "payment_processed")
	i.told(payouts[1], "payment_processed")
	i.sentOnce("Tron", tron, "5")
	i.sentOnce("Ethereum", ethereum, "7")
	i.addsUp()
}

// createPayin asks for USDT on Tron; when the answer was lost, the reference finds the payin.
func (i *installation) createPayin(amount string) (reference, wallet string) {
	i.t.Helper()
	p := client.Payin{ReferenceID: uuid.NewString(), Network: "trc20", CryptoCurrency: "USDT", ProcessBy: client.ByCrypto,
		CryptoAmount: amount, WebhookURL: i.receiver.url}
	_, err := sure(i, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, p)
	})
	if !client.Is(err, "duplicate_reference_id") {
		require.NoError(i.t, err)
	}
	found := i.payin(p.ReferenceID)
	return found.InternalReference, found.Wallet
}

// createPayouts asks for three payouts at once, one of them to be refused; when the answer was lost, the references find them.
func (i *installation) createPayouts(tron, ethereum string) (found []string) {
	i.t.Helper()
	item := func(name, network, token, amount, wallet string) client.Payout {
		return client.Payout{ReferenceID: name + uuid.NewString(), Network: network, CryptoCurrency: token, ProcessBy: client.ByCrypto,
			CryptoAmount: amount, Wallet: wallet, WebhookURL: i.receiver.url}
	}
	wanted := []client.Payout{item("tron-", "Tron", "USDT", "5", tron), item("bad-", "Tron", "USDT", "5", ethereum),
		item("eth-", "Ethereum", "USDC", "7", ethereum)}
	answer := granted(i, func(ctx context.Context, c *client.Client) (*client.PayoutResults, error) {
		return c.CreatePayouts(ctx, "", wanted)
	})
	require.True(i.t, client.Is(answer.Results[1].Error, "invalid_format"), answer)
	if answer.Summary.Successful == 0 {
		require.True(i.t, client.Is(answer.Results[0].Error, "duplicate_payment_reference"), answer)
	}
	for n, records := range []int{1, 0, 1} {
		list := granted(i, func(ctx context.Context, c *client.Client) (*client.PayoutList, error) {
			return c.ListPayouts(ctx, client.ListFilter{ReferenceID: wanted[n].ReferenceID})
		})
		require.Len(i.t, list.Payments, records)
		for _, p := range list.Payments {
			found = append(found, p.InternalReference)
		}
	}
	return found
}

// told waits for the events of a payin or payout: each is one delivery, and all are signed.
func (i *installation) told(reference string, events ...string) {
	i.t.Helper()
	for _, event := range events {
		testkit.Eventually(i.t, time.Minute, func() bool { return i.receiver.deliveries(reference, event) > 0 }, event+" arrives")
		require.Equal(i.t, 1, i.receiver.deliveries(reference, event), event)
	}
	i.receiver.mu.Lock()
	defer i.receiver.mu.Unlock()
	require.Zero(i.t, i.receiver.forged)
}

// sentOnce looks at the chain itself: exactly one transaction of the amount went to an address.
func (i *installation) sentOnce(network, address, amount string) {
	i.t.Helper()
	var view struct {
		Transactions []struct{ Amount string }
	}
	require.NoError(i.t, json.Unmarshal([]byte(i.command("sandbox", "show", "--network", network, "--address", address)), &view))
	require.Len(i.t, view.Transactions, 1)
	require.Equal(i.t, amount, view.Transactions[0].Amount)
}

// addsUp checks the books: balances equal the sums paid in and out, the statement ends at the balance and sums to it,
// and the ledger equals itself and the networks.
func (i *installation) addsUp() {
	i.t.Helper()
	for asset, want := range map[string]string{"USDT": "10024.00000000", "USDC": "9991.00000000"} {
		require.Equal(i.t, want, i.balances().Total[asset])
		answer := granted(i, func(ctx context.Context, c *client.Client) (*client.Statements, error) {
			return c.ListStatements(ctx, client.StatementFilter{PerPage: 100, Balance: asset})
		})
		sum := decimal.Zero
		for _, line := range answer.Statements {
			amount := decimal.RequireFromString(line.Amount)
			if line.Direction == "out" {
				amount = amount.Neg()
			}
			sum = sum.Add(amount)
		}
		require.Equal(i.t, want, sum.StringFixed(8))
		require.Equal(i.t, want, answer.Statements[0].BalanceAfter)
	}
	i.command("reconcile")
}
