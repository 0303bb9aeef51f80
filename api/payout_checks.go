package api

import (
	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// The refusals of an item in api-v1 §Payout item errors.
var (
	errRepeated      = pay.E(pay.Invalid, "duplicate_reference_id_in_request", "The reference_id stands in this request before.")
	errNetworkOff    = pay.E(pay.Invalid, "invalid_network_or_withdrawals_disabled", "The network is unknown or takes no withdrawals.")
	errTokenOff      = pay.E(pay.Invalid, "unsupported_token_or_withdrawals_disabled", "The token is unknown or takes no withdrawals.")
	errTokenNetwork  = pay.E(pay.Invalid, "token_network_mismatch", "The token is not on this network.")
	errTokenInactive = pay.E(pay.Invalid, "token_not_active", "The token is not active.")
	errMemoMissing   = pay.E(pay.Invalid, "memo_required", "The token needs a destination memo.")
	errCryptoAmount  = pay.E(pay.Invalid, "invalid_crypto_amount",
		"crypto_amount must be a plain decimal above zero, also once cut to the token's precision.")
	errFiatAmount        = pay.E(pay.Invalid, "invalid_fiat_amount", "fiat_amount must be a plain decimal above zero, also once converted.")
	errFiatMissing       = pay.E(pay.Invalid, "fiat_currency_required", "fiat_currency is required with process_by fiat_amount.")
	errFiatRefused       = pay.E(pay.Invalid, "fiat_currency_not_accepted", "The fiat currency is not accepted.")
	errWalletFormat      = pay.E(pay.Invalid, "invalid_format", "The wallet is not an address that can be paid to on this network.")
	errTwoTags           = pay.E(pay.Invalid, "invalid_format", "The memo differs from the tag in the wallet.")
	errNetworkAway       = pay.E(pay.Unavailable, "network_unavailable", "The network cannot be used now.")
	errLimits            = pay.E(pay.Invalid, "limit_exceeded", "The amount is outside the token's limits.")
	errNoPrice           = pay.E(pay.Invalid, "price_unavailable", "There is no price to convert with.")
	errInsufficient      = pay.E(pay.Invalid, "insufficient_balance", "The balance does not cover the payout and its fees.")
	errInsufficientTotal = pay.E(pay.Invalid, "insufficient_total_balance", "The balance does not cover the payouts of this request.")
	errDailyLimit        = pay.E(pay.Invalid, "daily_payout_limit_exceeded", "The key's daily limit would be exceeded.")
	errDailyUncounted    = pay.E(pay.Unavailable, "daily_payout_limit_unavailable",
		"The key has a daily limit, and its spending cannot be recorded now.")
	errDuplicate = pay.E(pay.Invalid, "duplicate_payment_reference", "The reference_id was used before.")
)

// withoutReference are the codes answered without reference_id (api-v1, "no ref").
var withoutReference = map[string]bool{
	errRepeated.Code: true, errNetworkOff.Code: true, errTokenOff.Code: true, errTokenNetwork.Code: true,
	errMemoMissing.Code: true, errCryptoAmount.Code: true, errFiatAmount.Code: true, errFiatMissing.Code: true,
}

// payoutChecks are the checks of one item after its fields, against the caller's rights and the prices of now.
type payoutChecks struct {
	caller    *store.Caller
	catalogue *Catalogue
	addresses Addresses
	book      map[bookPlace]bool // of a merchant that withdraws to its address book only; nil = to any address
	panel     bool               // a withdrawal in the panel: at the withdrawal rate (api-v1 §Account summary, Rate fields)
}

// run makes the checks in the order of addendum §7 as far as they need no balance. The first refusal ends it.
func (c *payoutChecks) run(d *payoutDraft) {
	for _, check := range []func(*payoutDraft) *pay.Error{c.tokenOnNetwork, c.memo, c.selectAmount, c.wallet, c.oneTag} {
		if d.problem = check(d); d.problem != nil {
			return
		}
	}
	d.counted = true
	d.problem = c.feesAndLimits(d)
}

func (c *payoutChecks) tokenOnNetwork(d *payoutDraft) *pay.Error {
	network, known := pay.NetworkCalled(d.network)
	switch {
	case !known || !c.catalogue.networks[network.Name]:
		return errNetworkOff
	case !c.catalogue.symbols[d.payout.Token]:
		return symbolNamed(errTokenOff, c.catalogue, d.payout.Token)
	}
	token, there := c.catalogue.Token(d.payout.Token, network.Name)
	switch {
	case !there:
		return errTokenNetwork
	case !token.Withdrawals:
		return errTokenOff
	case !token.Active:
		return errTokenInactive
	}
	d.token, d.payout.Network, d.payout.Asset = token, network.Name, token.BalanceKey
	return nil
}

// memo keeps the memo of a token that uses one. A tag inside the address counts as given. A person who gives one in vain is told, and a
// program is not (addendum §7).
func (c *payoutChecks) memo(d *payoutDraft) *pay.Error {
	if c.panel && d.memo != nil && !d.token.Memo {
		return errMemoUnused
	}
	if !d.token.Memo {
		return nil
	}
	tag, inside := c.addresses.Tag(d.payout.Network, d.payout.Wallet)
	switch {
	case d.memo == nil && !inside:
		return errMemoMissing
	case d.memo == nil:
		d.payout.Memo = &tag
	default:
		d.payout.Memo = d.memo
	}
	return nil
}

// oneTag refuses a memo naming another destination than the tag inside the address: no one destination fits both.
func (c *payoutChecks) oneTag(d *payoutDraft) *pay.Error {
	network, _ := pay.NetworkNamed(d.payout.Network)
	tag, inside := c.addresses.Tag(d.payout.Network, d.payout.Wallet)
	if inside && d.payout.Memo != nil && network.MemoOnChain(*d.payout.Memo) != tag {
		return errTwoTags
	}
	return nil
}

// selectAmount sets the amount selected by process_by, and the fiat it is shown in (addendum §6).
func (c *payoutChecks) selectAmount(d *payoutDraft) *pay.Error {
	asked, found := d.object.Amount(string(d.payout.ProcessBy))
	byFiat := d.payout.ProcessBy == pay.ByFiat
	switch {
	case byFiat && found != input.Given:
		return errFiatAmount
	case byFiat && d.fiat == "":
		return errFiatMissing
	case byFiat:
		return c.convert(d, asked)
	}
	d.amount = pricing.Cut(asked, d.token.Precision)
	if found != input.Given || d.amount.IsZero() {
		return errCryptoAmount
	}
	return c.acceptFiat(d)
}
