// Package message is how people are told of what concerns them, by e-mail: the topics, the texts, and their sending (panel §Messages).
package message

import "slices"

// Topic is a kind of fact that people are told of. A person switches each topic off and on.
type Topic string

// The topics of the people of merchants.
const (
	NewLogin     Topic = "new-login"
	KeyCreated   Topic = "key-created"
	PayoutFailed Topic = "payout-failed"
)

// Told describes a topic: whom it is for, its title, and its words beside the switch.
type Told struct {
	Topic Topic
	Roles []string // of members who are told; nil = the person it is about
	Title string
	Words string
}

// OfMerchants are the topics of the people of merchants, in the order of the switches.
var OfMerchants = []Told{
	{NewLogin, nil, "A login from a new address", "a login of yours from a new address"},
	{KeyCreated, []string{"owner", "developer"}, "An API key was created", "an API key was created"},
	{PayoutFailed, []string{"owner", "finance"}, "A payout failed", "a payout or a withdrawal failed"},
}

// Of returns the description of a topic of merchants.
func Of(topic Topic) Told {
	return OfMerchants[slices.IndexFunc(OfMerchants, func(t Told) bool { return t.Topic == topic })]
}

// For returns the topics of which a person with these roles is told.
func For(roles []string) []Told {
	return slices.DeleteFunc(slices.Clone(OfMerchants), func(t Told) bool {
		return t.Roles != nil && !slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(t.Roles, r) })
	})
}

// SwitchesPage is where a person of merchants switches topics, below PUBLIC_BASE_URL.
const SwitchesPage = "/panel/account"
