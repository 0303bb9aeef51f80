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
	go func() { ended <- run(ctx, []string{"--every", "0"}, write) }()
	lines := bufio.NewScanner(read)
	var said []string
	for len(said) < 3 && lines.Scan() {
		said = append(said, lines.Text())
	}
	url, ok := strings.CutPrefix(said[1], "Listening on ")
	if !ok || !strings.Contains(said[0], "a fake") || said[2] != "Network id 21338" {
		t.Fatalf("said %q", said)
	}
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"method":"server_info","params":[{}]}`))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), `"network_id":21338`) {
		t.Errorf("%s, %v", body, err)
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
