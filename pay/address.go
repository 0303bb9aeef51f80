package pay

import "errors"

// ErrNotPayable says that a text is no address that a payout may go to: it does not fit the network, nobody could spend
// from it, or it is our own hot wallet or a token's contract (api-v1 invalid_format).
var ErrNotPayable = errors.New("not an address that can be paid to")
