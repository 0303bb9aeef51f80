package ton_test

import (
	"context"
	"testing"

	"causeway/chains"
	"causeway/internal/dev/tonnode"
)

// TestAStepGoesOn: a step without the time for all accounts tells no block, and the next one goes on where it has ended, with the same blocks,
// though there are more by then. Nothing is asked twice, and a payment to each account is told, also to one that was named meanwhile.
func TestAStepGoesOn(t *testing.T) {
	t.Parallel()
	l := launch(t)
	var wallets []string
	add := func() {
		address, err := l.Derive(t.Context(), uint32(len(wallets))+1)
		check(t, err)
		wallets = append(wallets, address)
	}
	const first = 9
	for range first {
		add()
	}
	l.AskFor(func(context.Context) ([]string, error) { return wallets, nil })
	height := l.height(t)
	_, err := l.Blocks(t.Context(), height, 1) // how far each account is, is known then
	check(t, err)
	add()
	paid := map[string]bool{}
	for _, to := range wallets {
		txid, err := l.node.Send(tonnode.Message{To: to, Units: 2_000_000_000})
		check(t, err)
		paid[txid] = true
	}
	check(t, l.node.Mine(2))
	l.Patient(0)
	before := l.Network().Nodes()[0].Requests
	var blocks []chains.Block
	rounds := 0
	for ; len(blocks) == 0; rounds++ {
		if rounds > 100 {
			t.Fatal("no step comes to its end")
		}
		blocks, err = l.Blocks(t.Context(), height+1, 100)
		check(t, err)
		check(t, l.node.Mine(1))
	}
	if asked, most := l.Network().Nodes()[0].Requests-before, int64(rounds*(1+2)+(first+3)*4); rounds < first+2 || asked > most {
		t.Errorf("%d requests in %d rounds, want at most %d", asked, rounds, most)
	}
	if len(blocks) != 2 {
		t.Errorf("%d blocks, want the two that there were at first", len(blocks))
	}
	for _, b := range blocks {
		for _, tr := range b.Transfers {
			delete(paid, tr.Txid)
		}
	}
	if len(paid) > 0 {
		t.Errorf("%d payments are missing", len(paid))
	}
	if next, err := l.Blocks(t.Context(), height+3, 1); err != nil || len(next) != 0 { // other blocks begin anew
		t.Errorf("%d blocks, %v", len(next), err)
	}
}

// TestAStepThatFailsIsReadAnew: what was read before a node has told something odd is not kept.
func TestAStepThatFailsIsReadAnew(t *testing.T) {
	t.Parallel()
	l := launch(t)
	height := l.height(t)
	_, err := l.Blocks(t.Context(), height, 1)
	check(t, err)
	check(t, l.node.Mine(1))
	l.Patient(0)
	if blocks, err := l.Blocks(t.Context(), height+1, 1); err != nil || len(blocks) > 0 {
		t.Fatalf("%d blocks, %v: the step was to have no time", len(blocks), err)
	}
	check(t, l.node.Trouble(tonnode.Trouble{Refuse: &tonnode.Refuse{Method: "getAddressInformation", Code: 500, Message: "odd"}}))
	if _, err := l.Blocks(t.Context(), height+1, 1); err == nil {
		t.Fatal("no error")
	}
	check(t, l.node.Trouble(tonnode.Trouble{Refuse: &tonnode.Refuse{}}))
	for round := 0; round < 2; round++ { // the hot wallet, and the shared one
		blocks, err := l.Blocks(t.Context(), height+1, 1)
		if err != nil || len(blocks) != round {
			t.Errorf("%d blocks in round %d, %v", len(blocks), round, err)
		}
	}
}
