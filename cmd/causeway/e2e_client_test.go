package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// document is the OpenAPI document as the installation itself serves it; nil while it does not answer.
func (i *installation) document() *contract.Document {
	i.t.Helper()
	if i.served != nil {
		return i.served
	}
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, "http://"+i.listen+"/openapi.json", http.NoBody)
	require.NoError(i.t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil
	}
	i.served, err = contract.Load(text)
	require.NoError(i.t, err)
	return i.served
}

// client is the Go client under a key, with a signing secret where the key asks for one. Its requests and answers are
// held against the document.
func (i *installation) client(key, secret string) *client.Client {
	i.t.Helper()
	watched := i.document().Transport(i.t, http.DefaultTransport)
	c, err := client.New(client.Config{BaseURL: "http://" + i.listen, Key: key, SigningSecret: secret, HeaderPrefix: i.file().HeaderPrefix,
		Retries: -1,
		HTTP:    &http.Client{Transport: watched, Timeout: time.Minute}})
	require.NoError(i.t, err)
	return c
}

// demo is the client of the demo merchant.
func (i *installation) demo() *client.Client {
	i.t.Helper()
	return i.client(i.file().APIKey, "")
}

// serves reports whether the service answers the demo key: nil, or why not.
func (i *installation) serves() error {
	d, err := settings.ReadDevFile(i.dir)
	if err != nil {
		return err
	}
	if d == nil || i.document() == nil {
		return errors.New("it has not started")
	}
	_, err = i.demo().GetBalances(i.t.Context())
	return err
}

// sure repeats a call until it is answered by anything but a failure of the service; the error is a refusal.
func sure[T any](i *installation, call func(ctx context.Context, c *client.Client) (T, error)) (out T, err error) {
	i.t.Helper()
	c := i.demo()
	testkit.Eventually(i.t, 2*time.Minute, func() bool {
		out, err = call(i.t.Context(), c)
		var refusal *client.Error
		return err == nil || errors.As(err, &refusal) && refusal.Status < http.StatusInternalServerError
	}, "the service answers")
	return out, err
}

// granted is sure of a call; the call must not be refused.
func granted[T any](i *installation, call func(ctx context.Context, c *client.Client) (T, error)) T {
	i.t.Helper()
	out, err := sure(i, call)
	require.NoError(i.t, err)
	return out
}

func (i *installation) payin(reference string) *client.PayinRecord {
	i.t.Helper()
	return granted(i, func(ctx context.Context, c *client.Client) (*client.PayinRecord, error) {
		return c.CheckPayin(ctx, reference)
	})
}

func (i *installation) payout(reference string) *client.PayoutRecord {
	i.t.Helper()
	return granted(i, func(ctx context.Context, c *client.Client) (*client.PayoutRecord, error) {
		return c.CheckPayout(ctx, reference)
	})
}

func (i *installation) balances() *client.Balances {
	i.t.Helper()
	return granted(i, func(ctx context.Context, c *client.Client) (*client.Balances, error) { return c.GetBalances(ctx) })
}

// paidOut waits for the end of a payout.
func (i *installation) paidOut(reference string) {
	i.t.Helper()
	testkit.Eventually(i.t, time.Minute, func() bool { return i.payout(reference).Status == "completed" }, "the payout is completed")
}
