package api

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

var (
	errNotInBook = pay.E(pay.Invalid, "address_not_in_book", "Your merchant withdraws to the addresses of its address book only, and this one is not there.")
	errBookNew   = pay.E(pay.Invalid, "address_too_new", "The address is in the address book for less than a day.")
)

// bookPlace is a destination: an address as its network spells it, and the memo or the tag inside the address, which tells the accounts
// at one address apart.
type bookPlace struct{ network, address, memo string }

// bookOf reads the address book of a merchant that withdraws to nothing else, with whether each address may be used by now; nil where any
// address will do.
func (w *Withdrawals) bookOf(ctx context.Context, merchant uuid.UUID) (map[bookPlace]bool, error) {
	rule, err := w.Payouts.Store.BookRuleOf(ctx, merchant)
	if err != nil || !rule.BookOnly {
		return nil, err
	}
	found, err := w.Payouts.Store.Book(ctx, merchant)
	out := make(map[bookPlace]bool, len(found))
	for i := range found {
		a := &found[i]
		place := placeOf(w.Payouts.Addresses, a.Network, a.Address, a.Memo)
		out[place] = out[place] || a.Usable
	}
	return out, err
}

// placeOf reads a destination. Two that differ in anything but their spelling are two.
func placeOf(addresses Addresses, network, address, memo string) bookPlace {
	out := bookPlace{network, address, memo}
	if canonical, err := addresses.Validate(network, address); err == nil {
		out.address = canonical
	}
	if tag, inside := addresses.Tag(network, address); inside && memo == "" {
		out.memo = tag
	} else if n, known := pay.NetworkNamed(network); known && memo != "" {
		out.memo = n.MemoOnChain(memo)
	}
	return out
}

// inBook refuses an address that the book does not have, or has for less than a day.
func (c *payoutChecks) inBook(p *pay.Payout) *pay.Error {
	if c.book == nil {
		return nil
	}
	memo := ""
	if p.Memo != nil {
		memo = *p.Memo
	}
	usable, there := c.book[placeOf(c.addresses, p.Network, p.Wallet, memo)]
	switch {
	case !there:
		return errNotInBook
	case !usable:
		return errBookNew
	}
	return nil
}
