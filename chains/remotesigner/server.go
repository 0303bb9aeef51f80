package remotesigner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// server is a signer that questions are posted to.
type server struct {
	url, tokenFile string
	client         *http.Client
}

func newServer(c Config, dir string) *server {
	transport := &http.Transport{MaxIdleConnsPerHost: atOnce} // no proxy: the token is for the signer alone
	return &server{url: c.URL, tokenFile: within(dir, c.TokenFile), client: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (s *server) ask(ctx context.Context, question []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(question))
	if err != nil {
		return nil, errors.New("url: not an address")
	}
	request.Header.Set("Content-Type", "application/json")
	if s.tokenFile != "" {
		token, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("token_file: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, longest))
	switch {
	case err != nil:
		return nil, withoutAddress(err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %d: %s", response.StatusCode, clean(string(body)))
	default:
		return body, nil
	}
}

// withoutAddress is an error of net/http without the server's address: it may hold a secret.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return errors.New("the server does not answer: " + clean(err.Error()))
}
