package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRunServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"--every", "0", "--key", "k"}, write) }()
	lines := bufio.NewScanner(read)
	var said []string
	for len(said) < 3 && lines.Scan() {
		said = append(said, lines.Text())
	}
	url, ok := strings.CutPrefix(said[1], "Listening on ")
	if !ok || !strings.Contains(said[0], "a fake") || !strings.HasPrefix(said[2], "First block 0000000000000000") {
		t.Fatalf("said %q", said)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/wallet/getnowblock", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("TRON-PRO-API-KEY", "k")
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("run goes on")
	}
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--nonsense"}, {"--listen", "nowhere:x"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
