package monero

// What the rest of a payout comes back in. A coin may be spent nine blocks after its own, so payouts of a wallet with few coins wait for each
// other.
const (
	ownCoins = 8  // of the hot wallet itself: with fewer, the rest is split
	mostRest = 4  // outputs with the rest of one transaction
	mostOuts = 15 // of a transaction of a wallet server
)

// split returns in how many outputs the rest of a spend comes back at most, so that the hot wallet has enough coins afterwards.
func (d *draft) split() int {
	if len(d.outs) == 0 {
		return 1 // coins are gathered, or a slot is taken
	}
	own := 0
	for _, h := range d.has {
		if h.At.Minor == 0 && !h.Spent {
			own++
		}
	}
	return max(1, min(ownCoins-own, mostRest, mostOuts-len(d.outs)))
}

// rests returns the outputs that come back, the one that pays the fee first. Each can pay another spend like this one, and more than any fee,
// or else they are fewer.
func (d *draft) rests(rest uint64) []uint64 {
	parts := uint64(max(1, d.back))
	least := max(d.paid, 2*d.fee(mostCoins))
	for parts > 1 && rest/parts < least {
		parts--
	}
	out := make([]uint64, parts)
	for i := range out {
		out[i] = rest / parts
	}
	out[0] += rest % parts
	return out
}
