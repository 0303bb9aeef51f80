// Package message is how people are told of what concerns them, by e-mail: the topics, the texts, and their sending (panel §Messages).
package message

import "slices"

// Topic is a kind of fact that people are told of. A person switches each topic off and on.
type Topic string

// The topics of the people of merchants. ReceiverFailing is one of the operators as well.
const (
	NewLogin        Topic = "new-login"
	Passkeys        Topic = "passkeys"
	KeyCreated      Topic = "key-created"
	PayoutFailed    Topic = "payout-failed"
	ReceiverFailing Topic = "receiver-failing"
)

// The topics of operators.
const (
	ApprovalWaits Topic = "approval-waits"
	PayoutsWait   Topic = "payouts-wait"
	WalletLow     Topic = "wallet-low"
	NetworkLags   Topic = "network-lags"
	BooksDiffer   Topic = "books-differ"
	Other         Topic = "other"
)

// Told describes a topic: whom it is for, its title, and its words beside the switch.
type Told struct {
	Topic Topic
	Roles []string // of members who are told; nil = the person it is about
	Title string
	Words string
}

// The topics that nobody switches off: a code by which an operator confirms an e-mail address, and the link of an invitation.
const (
	Confirm    Topic = "confirm"
	Invitation Topic = "invitation"
)

// The topics of receipts for payers. A merchant switches both on and off.
const (
	PayerPaid     Topic = "payer-paid"
	PayerRefunded Topic = "payer-refunded"
)

// OfMerchants are the topics of the people of merchants, in the order of the switches.
var OfMerchants = []Told{
	{NewLogin, nil, "A login from a new address", "a login of yours from a new address"},
	{Passkeys, nil, "Your passkeys", "a change of your passkeys"},
	{KeyCreated, []string{"owner", "developer"}, "An API key was created", "an API key was created"},
	{PayoutFailed, []string{"owner", "finance"}, "A payout failed", "a payout or a withdrawal failed"},
	{ReceiverFailing, []string{"owner", "developer"}, "Webhooks are not taken", "webhooks are not taken"},
}

// OfOperators are the topics of operators, in the order of the switches.
var OfOperators = []Told{
	{ApprovalWaits, nil, "Payouts wait for approval", "payouts wait for approval"},
	{PayoutsWait, nil, "Payouts do not go on", "payouts cannot go on"},
	{WalletLow, nil, "A hot wallet is low", "a hot wallet is low"},
	{NetworkLags, nil, "A network is not followed", "a network is not followed"},
	{BooksDiffer, nil, "The books differ", "the books differ"},
	{ReceiverFailing, nil, "Webhooks are not taken", "webhooks are not taken"},
	{Other, nil, "Something waits for a person", "anything else for a person"},
}

// OfOperator reports whether operators are told of a topic.
func OfOperator(topic Topic) bool {
	return slices.ContainsFunc(OfOperators, func(t Told) bool { return t.Topic == topic })
}

// The pages of the console, below CONSOLE_BASE_URL: an operator's switches, and the pages of topics.
const (
	console         = "/console/"
	ConsoleSwitches = console + "account"
)

// consolePages are the pages of the topics of operators, below console. The overview has what is missing here.
var consolePages = map[Topic]string{ApprovalWaits: "approvals", PayoutsWait: "payouts", WalletLow: "treasury", NetworkLags: "networks", BooksDiffer: "reconcile",
	ReceiverFailing: "webhooks", ChatTest: "chats"}

// ConsolePage is the page of the console about a topic of operators or a test of their chat, below CONSOLE_BASE_URL.
func ConsolePage(topic Topic) string { return console + consolePages[topic] }

// TitleOf returns the title of a topic of operators.
func TitleOf(topic Topic) string {
	return OfOperators[slices.IndexFunc(OfOperators, func(t Told) bool { return t.Topic == topic })].Title
}

// Switched reports whether people of merchants switch a topic off and on.
func Switched(topic Topic) bool {
	return slices.ContainsFunc(OfMerchants, func(t Told) bool { return t.Topic == topic })
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

// ForChats returns the topics of the operators' chats, or of merchants': all but those about one person.
func ForChats(operators bool) []Told {
	if operators {
		return OfOperators
	}
	return slices.DeleteFunc(slices.Clone(OfMerchants), func(t Told) bool { return t.Roles == nil })
}

// SwitchesPage is where a person of merchants switches topics, below PUBLIC_BASE_URL.
const SwitchesPage = "/panel/account"
