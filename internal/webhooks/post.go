package webhooks

import (
	"bytes"
	"context"
	"net/http"
	"time"
)

// Post makes one HTTP try of a body to a service other than a merchant's receiver, such as a chat. It is guarded as webhooks are,
// and has no signature. The kept parts of an answer are without the secret.
func (c *Client) Post(ctx context.Context, address string, body []byte, secret string) Attempt {
	to := c.receiver(address)
	if to.refused != nil {
		return Attempt{Error: to.refused.Error()}
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
	if err != nil {
		return Attempt{Error: errorText(err)}
	}
	request.URL, request.Host = to.url, to.url.Host
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Causeway-Messages/1")
	response, err := c.http.Do(request)
	if err != nil {
		return Attempt{Error: errorText(err), Duration: time.Since(start)}
	}
	defer response.Body.Close()
	a := judge(response, c.options.Now())
	if begins := drain(response); a.Outcome != Delivered {
		keep(&a, response.Header, begins, []string{secret})
	}
	a.Duration = time.Since(start)
	return a
}
