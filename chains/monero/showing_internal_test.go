package monero

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/chains"
	"causeway/chains/monero/client"
	"causeway/chains/nodes"
)

// TestKeyImagesAreShownOnceTheAddressesAreNamed: a wallet that reads the chain before knows the first addresses alone.
func TestKeyImagesAreShownOnceTheAddressesAreNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := []byte("causeway tests: never fund this!")
		seen, err := public(key, "")
		if err != nil {
			t.Fatal(err)
		}
		cfg := Defaults()
		cfg.RPC, cfg.Wallet, cfg.Spender, cfg.View = nodes.Addresses{"http://127.0.0.1:1"}, "http://127.0.0.1:2", "http://127.0.0.1:3", seen
		cfg.Chain, cfg.Start = regtestChain, 1
		n, err := cfg.open(t.Context(), chains.Opening{Signs: true, Seed: key})
		if err != nil {
			t.Fatal(err)
		}
		sender := n.Sender.(*Sender)
		defer sender.Close()
		synctest.Wait()
		if asked := sender.spender.server.Requests(); asked != 0 {
			t.Errorf("the signer's wallet was asked %d times before the addresses were named", asked)
		}
		named := 0
		n.Reach(func(context.Context) ([]string, error) {
			named++
			return nil, errors.New("the books are away")
		})
		synctest.Wait()
		if named != 1 {
			t.Errorf("the addresses were read %d times", named)
		}
	})
}

// TestWhatTheSignerLacksIsLeft: an output that the signer's wallet has not found keeps no other from being shown, and is said.
func TestWhatTheSignerLacksIsLeft(t *testing.T) {
	t.Parallel()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // no wallet: it takes all that it is shown
		var q struct {
			Method string
			Params struct {
				Offset int
				Images []signedImage `json:"signed_key_images"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		asked = append(asked, fmt.Sprintf("%s %d %v", q.Method, q.Params.Offset, q.Params.Images))
		_, _ = w.Write([]byte(`{"result":{}}`))
	}))
	defer s.Close()
	w := &wallet{server: client.New(s.URL, time.Minute)}
	seen := []entry{{Key: "a", Image: "shown"}, {Key: "b"}, {Key: "odd"}, {Key: "c"}, {Key: "d"}}
	err := w.learn(t.Context(), seen, map[string]signedImage{"a": {"1", "s"}, "b": {"2", "s"}, "c": {"3", "s"}, "d": {"4", "s"}})
	if !errors.Is(err, errOtherOutputs) || !strings.Contains(err.Error(), "odd") {
		t.Errorf("%v", err)
	}
	if want := []string{"import_key_images 1 [{2 s}]", "import_key_images 3 [{3 s} {4 s}]", "store 0 []"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}
