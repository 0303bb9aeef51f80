package main

import (
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/dev/testkit"
)

// lookingFirst asks a running installation for the results of payouts, and makes none (api-v1 §Payout dry run, §Quote).
func (i *installation) lookingFirst() {
	i.t.Helper()
	c := i.demo()
	before, err := c.GetBalances(i.t.Context())
	require.NoError(i.t, err)
	quote, err := c.GetQuote(i.t.Context(), client.QuoteRequest{Operation: "payout", Network: "Tron", Token: "USDT", Amount: "5"})
	require.NoError(i.t, err)
	require.True(i.t, quote.Accepted)
	would, err := c.RehearsePayouts(i.t.Context(),
		[]client.Payout{{ReferenceID: "rehearsed", Wallet: "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF", CryptoCurrency: "USDT",
			Network: "Tron", ProcessBy: client.ByCrypto, CryptoAmount: "5", FeeTakenFromAmount: 1, WebhookURL: i.receiver.url}})
	require.NoError(i.t, err)
	require.Nil(i.t, would.Results[0].Error)
	require.Equal(i.t, *quote.Options[1].Net, would.Results[0].CryptoAmount)
	after, err := c.GetBalances(i.t.Context())
	require.NoError(i.t, err)
	require.Equal(i.t, before.Available, after.Available)
	listed, err := c.ListPayouts(i.t.Context(), client.ListFilter{ReferenceID: "rehearsed"})
	require.NoError(i.t, err)
	require.Empty(i.t, listed.Payments)
}

// sendsAgain finds the webhooks of a payin, and has the newest sent once more (api-v1 §Webhook deliveries).
func (i *installation) sendsAgain(reference string) {
	i.t.Helper()
	c := i.demo()
	var first client.WebhookDelivery
	testkit.Eventually(i.t, time.Minute, func() bool {
		found, err := c.ListWebhookDeliveries(i.t.Context(), client.DeliveryFilter{Reference: reference, Status: "delivered"})
		if err != nil || len(found.Deliveries) == 0 {
			return false
		}
		first = found.Deliveries[0]
		return true
	}, "a webhook is listed as delivered")
	shown, err := c.GetWebhookDelivery(i.t.Context(), first.ID)
	require.NoError(i.t, err)
	require.Equal(i.t, reference, shown.ReferenceID)
	require.Equal(i.t, http.StatusOK, *shown.Attempts[len(shown.Attempts)-1].HTTPStatus)
	again, err := c.RedeliverWebhook(i.t.Context(), first.ID)
	require.NoError(i.t, err)
	require.Equal(i.t, first.ID, *again.RedeliveryOf)
	testkit.Eventually(i.t, time.Minute, func() bool {
		shown, err := c.GetWebhookDelivery(i.t.Context(), again.ID)
		return err == nil && shown.Status == "delivered"
	}, "the webhook is delivered again")
	require.Equal(i.t, 2, i.receiver.deliveries(first.InternalReference, first.Event))
}
