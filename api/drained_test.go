package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"causeway/internal/contract"
)

// TestManyClientsDrainOneMerchantExactly: 64 clients ask over HTTP for payouts of one merchant, until each of them is refused for
// want of money. As many succeed as the funds cover, the rest is left, and no client gets another answer.
func TestManyClientsDrainOneMerchantExactly(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: No payout takes available below zero")
	s := newShop(t, holding("1000"))
	server := httptest.NewServer(s.front)
	t.Cleanup(server.Close)
	const clients, paid, left = 64, 303, "0.1" // 303 times 1.3 and a network fee of 2

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	t.Cleanup(client.CloseIdleConnections)
	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			for i := 0; ; i++ {
				answer := post(t, client, server.URL+"/v1/payout", s.key, item(strconv.Itoa(n)+"-"+strconv.Itoa(i), "crypto_amount", `"1.3"`))
				mu.Lock()
				answers[answer]++
				mu.Unlock()
				if answer != "created" {
					return
				}
			}
		})
	}
	all.Wait()
	refused := answers["400 insufficient_balance"] + answers["400 insufficient_total_balance"] // the latter does not count fees
	if answers["created"] != paid || refused != clients {
		t.Errorf("answers: %v", answers)
	}
	for answer := range answers {
		if answer != "created" && !strings.HasPrefix(answer, "400 insufficient_") {
			t.Errorf("a client was answered %s", answer)
		}
	}
	if got := s.balance("USDT"); got != left {
		t.Errorf("%s is left", got)
	}
	if rows := s.count("select count(*) from payouts"); rows != paid {
		t.Errorf("%d payouts are recorded", rows)
	}
}

// post sends a payout over the wire, and returns "created", or the status and the code of its refusal.
func post(t *testing.T, client *http.Client, address, key, body string) string {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("X-Service-Invoke", key)
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	if response.StatusCode == http.StatusOK && strings.Contains(string(text), `"status":"created"`) {
		return "created"
	}
	for _, code := range []string{"insufficient_balance", "insufficient_total_balance"} {
		if strings.Contains(string(text), `"code":"`+code+`"`) {
			return strconv.Itoa(response.StatusCode) + " " + code
		}
	}
	return strconv.Itoa(response.StatusCode) + " " + string(text)
}
