package ledger

import "github.com/google/uuid"

// The chart of accounts (docs/internals.md §Ledger). Assets are not part of a name: every account holds any asset.
const (
	PayoutsHeld = "payouts:held"          // debited from merchants, not yet settled on a chain
	Fees        = "platform:fees"         // rate fees earned
	NetworkFees = "platform:network-fees" // network fees taken, less the networks' costs
	Dust        = "platform:dust"         // parts of transfers below the ledger's precision
	Treasury    = "platform:treasury"     // the operator's own money in the hot wallets
)

// Available is the account of a merchant's money for payouts.
func Available(merchant uuid.UUID) string { return "merchant:" + merchant.String() + ":available" }

// Locked is the account of money credited to a merchant and not final on its network.
func Locked(merchant uuid.UUID) string { return "merchant:" + merchant.String() + ":locked" }

// Outside is the world beyond us on a network: less than zero by the holdings of our addresses there.
func Outside(network string) string { return "outside:" + network }

// Unclaimed is the account of money arrived on a network for nobody.
func Unclaimed(network string) string { return "unclaimed:" + network }
