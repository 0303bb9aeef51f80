package api

import (
	"errors"
	"strconv"
	"strings"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/webhooks"
)

// reworded returns a refusal with another message: its code and details stay.
func reworded(e *pay.Error, message string) *pay.Error {
	out := *e
	out.Message = message
	return &out
}

// explained names the missing signature headers, and a timestamp of milliseconds.
func (s signed) explained(err error, names headerNames) error {
	switch {
	case errors.Is(err, errSignatureMissing):
		var missing []string
		for _, h := range []struct{ name, value string }{{names.signature, s.signature}, {names.timestamp, s.timestamp}, {names.nonce, s.nonce}} {
			if h.value == "" {
				missing = append(missing, h.name)
			}
		}
		return reworded(errSignatureMissing, "This key requires signed requests, and a header is missing or doubled: "+strings.Join(missing, ", ")+".")
	case errors.Is(err, errTimestampRange):
		const firstOfMilliseconds = 1e11 // as seconds it is the year 5138, as milliseconds 1973
		if sent, parsed := strconv.ParseInt(s.timestamp, 10, 64); parsed == nil && sent >= firstOfMilliseconds {
			return reworded(errTimestampRange, "The timestamp must be Unix seconds; "+s.timestamp+" looks like milliseconds.")
		}
	}
	return err
}

// errLookup means our resolver could not look up the host of a webhook address. Nothing was recorded.
var errLookup = pay.E(pay.Unavailable, errService.Code, "The host of webhook_url could not be looked up for now. Nothing was recorded. Send it again in a moment.")

// lookedUp returns errLookup, with Retry-After, for the failure of our resolver, and any other error as it is.
func (c *Call) lookedUp(err error) error {
	if !errors.Is(err, webhooks.ErrResolver) {
		return err
	}
	c.retryAfter(webhooks.RetryResolver)
	return errLookup.Because(err)
}

// symbolNamed returns a refusal of an unknown token. If the symbol is known in another case, the message names it.
func symbolNamed(e *pay.Error, cat *Catalogue, sent string) *pay.Error {
	for i := range cat.Tokens {
		if symbol := cat.Tokens[i].Symbol; symbol != sent && strings.EqualFold(symbol, strings.TrimSpace(sent)) {
			return reworded(e, e.Message+" "+symbol+" must be written so, not "+input.Cut(sent)+".")
		}
	}
	return e
}
