package payouts

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
)

// meeting is a draft that is signed once all the others are asked too.
type meeting struct {
	chains.Draft
	all    *sync.WaitGroup
	number chan uint64
	err    error
}

func (m *meeting) Sign(slot chains.Slot) (chains.Signed, error) {
	m.all.Done()
	m.all.Wait()
	m.number <- slot.Number
	return chains.Signed{}, m.err
}

// TestASlowSignerIsAskedForAllAtOnce: the transaction of the books is open meanwhile, so signatures do not wait for each other.
func TestASlowSignerIsAskedForAllAtOnce(t *testing.T) {
	t.Parallel()
	for _, refused := range []error{nil, errors.New("over the limit of the day")} {
		n := &chains.Network{SignsElsewhere: true}
		n.Name = "Ethereum"
		var all sync.WaitGroup
		all.Add(3)
		spends := make([]spend, 3)
		for i := range spends {
			spends[i].draft = &meeting{all: &all, number: make(chan uint64, 1)}
		}
		spends[1].draft.(*meeting).err = refused
		err := signAhead(n, spends, 7)
		require.ErrorIs(t, err, refused)
		for i, s := range spends {
			require.Equal(t, uint64(7+i), <-s.draft.(*meeting).number)
		}
	}
	unasked := []spend{{draft: &meeting{}}, {draft: &meeting{}}}
	require.NoError(t, signAhead(&chains.Network{}, unasked, 7), "keys of the process are quick")
	require.NoError(t, signAhead(&chains.Network{SignsElsewhere: true, Exclusion: chains.ByCoins}, unasked, 7), "coins are not chosen yet")
}
