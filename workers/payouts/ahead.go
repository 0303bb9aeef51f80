package payouts

import (
	"context"
	"errors"

	"causeway/chains"
	"causeway/internal/pay"
)

// errAhead says that the wallet has as many transactions in no block as its network takes.
var errAhead = errors.New("as many transactions of the wallet wait for their blocks as the network takes at once")

// noRoom says how many transactions of a group there is room for, where that is too few.
type noRoom int

// Error implements error.
func (noRoom) Error() string { return errAhead.Error() }

// Unwrap returns errAhead.
func (noRoom) Unwrap() error { return errAhead }

// roomFor returns how many numbers may be signed from first on. The least number in no block is the one told to the group's drafts.
func roomFor(n *chains.Network, first int64, group []toSign) int {
	from := deducted(group).From
	if n.Ahead == 0 || n.Exclusion != chains.ByNumber || from == nil {
		return len(group)
	}
	return max(0, int(*from)+n.Ahead-int(first)) //nolint:gosec // numbers are far below 2^63
}

// signWithin signs as many of a group as there is room for on the network. The others have no transaction, and come again.
func (w *Worker) signWithin(ctx context.Context, group []toSign) ([]*pay.SignedTransaction, error) {
	kept, err := w.signTogether(ctx, group)
	var room noRoom
	if !errors.As(err, &room) || room == 0 {
		return kept, err
	}
	if kept, err = w.signTogether(ctx, group[:room]); err != nil {
		return nil, err
	}
	return append(kept, make([]*pay.SignedTransaction, len(group)-int(room))...), nil
}
