package payouts

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// TestTheMostMatesAreSigned: one bad mate leaves out half of them at most, and a failure that is not theirs asks once more alone.
func TestTheMostMatesAreSigned(t *testing.T) {
	t.Parallel()
	bad := errors.New("one of them is bad")
	for _, c := range []struct {
		of, bad int // the amounts are 1 to of; of those below zero none is bad
		err     error
		want    int // mates signed
		asked   int
	}{
		{0, -1, nil, 0, 1}, {8, -1, nil, 8, 1}, {8, 8, bad, 4, 2}, {8, 1, bad, 4, 3}, {1, 1, bad, 0, 2}, {8, 3, chains.ErrDown, 0, 2}, {7, 7, bad, 4, 2},
	} {
		mates := make([]toSign, c.of)
		for i := range mates {
			mates[i].payout = &pay.Payout{Amount: decimal.NewFromInt(int64(c.of - i))}
		}
		asked, signed := 0, 0
		_, err := signMost(mates, func(part []toSign) ([]*pay.SignedTransaction, error) {
			asked, signed = asked+1, len(part)
			if slices.ContainsFunc(part, func(s toSign) bool { return s.payout.Amount.Equal(decimal.NewFromInt(int64(c.bad))) }) {
				return nil, c.err
			}
			return nil, nil
		})
		require.NoError(t, err)
		require.Equal(t, []int{c.want, c.asked}, []int{signed, asked}, "%+v", c)
	}
	asked := 0
	_, err := signMost(make([]toSign, 1), func([]toSign) ([]*pay.SignedTransaction, error) { asked++; return nil, bad })
	require.ErrorIs(t, err, bad)
	require.Equal(t, 2, asked)
}

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
