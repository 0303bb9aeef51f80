package monero

import (
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
)

// TestSpentOutputsAreToldOnce: a wallet is asked for what is not spent, and for all only where something may have come and gone meanwhile.
func TestSpentOutputsAreToldOnce(t *testing.T) {
	t.Parallel()
	f := recordedNode(t)
	e := &emptyWallet{main: viewOf(t, recordedView).main}
	c := &Connector{cfg: Defaults(), view: viewOf(t, recordedView), node: f.pool(t)}
	w := c.newWallet(e.serve(t), nil)
	raw, err := hex.DecodeString(recordedBlock)
	if err != nil {
		t.Fatal(err)
	}
	for height := f.best + 1; height < f.best+30; height++ {
		f.put(t, height, blockOf(raw, height))
	}
	first := f.best
	for _, step := range []struct {
		name   string
		height int64
		has    []entry
		all    bool
		want   string
	}{
		{"at first", first, []entry{{Key: "a", Image: "1"}, {Key: "b", Image: "2", Spent: true}}, true, "a b*"},
		{"nothing new", first, []entry{{Key: "a", Image: "1"}, {Key: "b", Image: "2", Spent: true}}, false, "a b*"},
		{"one more", first + 5, []entry{{Key: "a", Image: "1"}, {Key: "b", Image: "2", Spent: true}, {Key: "c"}}, false, "a b* c"},
		{"one is spent", first + 6, []entry{{Key: "a", Image: "1", Spent: true}, {Key: "b", Image: "2", Spent: true}, {Key: "c"}}, false, "a* b* c"},
		{"not after all", first + 6, []entry{{Key: "a", Image: "1"}, {Key: "b", Image: "2", Spent: true}, {Key: "c"}}, false, "a b* c"},
		{"one was shown, and is spent", first + 7, []entry{{Key: "a", Image: "1"}, {Key: "b", Image: "2", Spent: true}, {Key: "c", Image: "3", Spent: true}}, true, "a b* c*"},
		{"came and went", first + 13, []entry{{Key: "a", Image: "1"}, {Key: "d", Image: "4", Spent: true}}, true, "a d*"},
		{"another chain", first + 14, []entry{{Key: "e", Image: "5"}}, true, "e"},
		{"a shorter one", first + 12, []entry{{Key: "f", Image: "6"}}, true, "f"},
	} {
		if step.name == "another chain" {
			f.put(t, first+13, blockOf(raw, first+13, hash{9}))
		}
		e.height, e.has, e.asked = step.height, step.has, nil
		got, err := w.list(t.Context())
		text := ""
		for _, o := range got {
			if text += " " + o.Key; o.Spent {
				text += "*"
			}
		}
		if err != nil || text != " "+step.want || slices.Contains(e.asked, "incoming_transfers all") != step.all {
			t.Errorf("%s: %s, %v, asked %q", step.name, text, err, e.asked)
		}
	}
}

// TestSettledSpendsAreToldOnce: the transactions of long ago are neither asked for nor read again, and those of the last blocks are.
func TestSettledSpendsAreToldOnce(t *testing.T) {
	t.Parallel()
	f := recordedNode(t)
	e := &emptyWallet{main: viewOf(t, recordedView).main, out: []spending{{recordedID, 100}}}
	c := &Connector{cfg: Defaults(), view: viewOf(t, recordedView), node: f.pool(t)}
	w := c.newWallet(e.serve(t), nil)
	image := recorded(t).images[0].String()
	for _, step := range []struct{ read, spent, from, want int64 }{
		{200, 100, 0, 100},
		{201, 105, 0, 105}, // a reorganisation
		{1_200, 105, 0, 105},
		{1_201, 105, 200, 105},
		{2_500, 105, 201, 105},
	} {
		e.out[0].Height, e.asked = step.spent, nil
		spent, err := w.spentAt(t.Context(), step.read)
		if err != nil || spent[image] != step.want || !slices.Equal(e.asked, []string{fmt.Sprintf("get_transfers from %d", step.from)}) {
			t.Errorf("at %d: spent in %d, %v, asked %q", step.read, spent[image], err, e.asked)
		}
		f.txs = nil // it was read
	}
}
