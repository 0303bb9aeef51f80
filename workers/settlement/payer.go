package settlement

import (
	"context"
	"slices"

	"causeway/chains"
	"causeway/internal/store"
)

// PaidByUs reports whether an address of ours has sent a transaction, and so paid for it: the hot wallet, a cold address, or a deposit
// address. Known is false while the node does not know the transaction. Where the network keeps no count of an address's transactions,
// only moves by hand are asked about of which the blocks have said that ours paid.
func PaidByUs(ctx context.Context, s *store.Store, n *chains.Network, cold []string, txid string) (own, known bool, err error) {
	if n.Counter == nil {
		return true, true, nil
	}
	from, err := n.Counter.Origin(ctx, txid)
	if err != nil || from.Txid == "" {
		return false, false, err
	}
	if from.From == n.Hot || slices.Contains(cold, from.From) {
		return true, true, nil
	}
	all, err := s.AddressesAt(ctx, n.Family, []store.Place{{Match: from.From}})
	return len(all) > 0, err == nil, err
}
