package monero

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"causeway/chains"
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
