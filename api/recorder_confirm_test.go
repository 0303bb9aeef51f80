package api

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// replica confirms what is asked for after so many refusals.
type replica struct{ away, asked int }

func (r *replica) Confirm(context.Context) error {
	if r.asked++; r.asked <= r.away {
		return errors.New("canceling statement due to user request")
	}
	return nil
}

// A client is told of a row found again only once its replica has it. A row committed at once has no need for that.
func TestFoundAgainIsConfirmed(t *testing.T) {
	t.Parallel()
	tries := 0
	lost := func(_ context.Context, again bool) error {
		if tries++; !again {
			return errors.New("the connection was lost")
		}
		return nil
	}
	r := &replica{away: 2}
	require.NoError(t, untilCertain(r, lost))
	require.Equal(t, 3, r.asked)
	require.Equal(t, 4, tries, "what was found is looked at again")
	r = &replica{}
	require.NoError(t, untilCertain(r, func(context.Context, bool) error { return nil }))
	require.Zero(t, r.asked)
}

// A client told that its reference is taken believes its first request. So the row with the reference is confirmed, too; other refusals
// say nothing about a row.
func TestATakenReferenceIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, refusal := range []error{errDuplicatePayin, errDuplicateRequest, errDuplicateRefund, errSlugTaken, errDuplicate} {
		r := &replica{away: 1}
		require.ErrorIs(t, untilCertain(r, func(context.Context, bool) error { return refusal }), refusal)
		require.Equal(t, 2, r.asked)
	}
	r := &replica{}
	require.ErrorIs(t, untilCertain(r, func(context.Context, bool) error { return errInsufficient }), errInsufficient)
	require.Zero(t, r.asked)
}
