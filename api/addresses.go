package api

import (
	"errors"
	"net/http"
	"strings"

	"causeway/api/input"
	"causeway/internal/pay"
)

// Addresses checks addresses of the networks. It handles public data only.
type Addresses interface {
	// Validate returns the canonical spelling of a payable address on a network. The error wraps pay.ErrNoDestination for
	// any other address, our own hot wallet included. Any other error means the network cannot be asked.
	Validate(network, address string) (canonical string, err error)
	// Match returns the one spelling shared by all spellings of an account.
	Match(network, address string) string
	// Tag returns the destination tag inside an address such as a Ripple X-address.
	Tag(network, address string) (tag string, ok bool)
}

// payableAt refuses an address no payout could go to: another format, our hot wallet, a token's contract.
func payableAt(addresses Addresses, catalogue *Catalogue, network, wallet string) *pay.Error {
	_, err := addresses.Validate(network, wallet)
	switch {
	case errors.Is(err, pay.ErrNoDestination):
		return noDestination(err)
	case err != nil:
		return errNetworkAway.Because(err)
	}
	if catalogue.IsContract(network, addresses.Match(network, wallet), addresses.Match) {
		return errWalletFormat
	}
	return nil
}

// noDestination is errWalletFormat, with the reason in its message where the network gives one.
func noDestination(err error) *pay.Error {
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) {
		return errWalletFormat
	}
	out := *errWalletFormat
	out.Message = strings.TrimSuffix(out.Message, ".") + ": " + hinted.Hint() + "."
	return &out
}

// AddressAnswer is the answer to GET /v1/validate-address (api-v1 §Extensions).
type AddressAnswer struct {
	Message string  `json:"message"`
	Network string  `json:"network"`
	Wallet  string  `json:"wallet"`
	Valid   bool    `json:"valid"`
	Memo    *string `json:"memo"`
	Reason  *string `json:"reason"`
	Hint    *string `json:"hint"`
}

// validateAddress answers GET /v1/validate-address with the check of a payout's wallet.
func (p *Payouts) validateAddress(c *Call) error {
	wallet, wrong := strings.TrimSpace(c.Query("wallet")), input.FieldErrors{}
	network, known := pay.NetworkCalled(c.Query("network"))
	if !known {
		wrong["network"] = "is not a network"
	}
	if wallet == "" {
		wrong["wallet"] = "is required"
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	catalogue, err := p.Catalogues.For(c)
	if err != nil {
		return err
	}
	answer := AddressAnswer{Message: "address_validated_success", Network: network.Name, Wallet: wallet, Valid: true}
	switch refused := payableAt(p.Addresses, catalogue, network.Name, wallet); {
	case refused == nil:
		if tag, inside := p.Addresses.Tag(network.Name, wallet); inside {
			answer.Memo = &tag
		}
	case refused.Code == errWalletFormat.Code:
		answer.Valid, answer.Reason, answer.Hint = false, &refused.Code, &refused.Message
	default:
		return errNoProcessor
	}
	return c.JSON(http.StatusOK, answer)
}
