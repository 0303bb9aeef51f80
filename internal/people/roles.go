// Package people is the people of merchants, who use the panel: their roles, how they are invited and let in, and their logins
// (panel §People). They share no row and no session with the operators.
package people

import (
	"slices"
	"strings"
)

// The roles of a person for one merchant.
const (
	Owner     = "owner"     // everything
	Finance   = "finance"   // looks, and moves money
	Developer = "developer" // looks, and has keys and webhooks
	Viewer    = "viewer"    // looks
)

// Roles lists the roles.
var Roles = []string{Owner, Finance, Developer, Viewer}

// Act is a kind of act in the panel.
type Act string

// The kinds of acts.
const (
	Look     Act = "look at balances, lists and the audit"
	People   Act = "invite people, change roles and remove people"
	Keys     Act = "create and revoke API keys"
	Webhooks Act = "change webhook secrets and addresses, and send webhooks again"
	Withdraw Act = "withdraw money"
	Shop     Act = "change how payers' pages look, and their receipts"
	Embed    Act = "name sites that show payers' pages"
	Chats    Act = "choose the chats that are told of things"
	Deposit  Act = "create payins, payment requests and fixed wallets"
)

// may has the roles with a right to each kind of act. A kind that is missing is nobody's.
var may = map[Act][]string{
	Look:     Roles,
	People:   {Owner},
	Keys:     {Owner, Developer},
	Webhooks: {Owner, Developer},
	Withdraw: {Owner, Finance},
	Deposit:  {Owner, Finance},
	Shop:     {Owner},
	Embed:    {Owner, Developer},
	Chats:    {Owner},
}

// May reports whether a role has the right to a kind of act.
func May(role string, act Act) bool { return slices.Contains(may[act], role) }

// RolesFor lists the roles with the right to a kind of act.
func RolesFor(act Act) []string { return slices.Clone(may[act]) }

// Actor is how the audit names a person. No operator has such a name.
func Actor(email string) string { return actorPrefix + email }

const actorPrefix = "person:"

// ActorEmail returns the e-mail address of an actor of the audit; false when it is no person.
func ActorEmail(actor string) (string, bool) { return strings.CutPrefix(actor, actorPrefix) }
