package main

import (
	"context"

	"causeway/api"
	"causeway/internal/pay"
)

// linkers lets people of the panel make payment links.
type linkers struct{ *api.Links }

// Make implements panel.Links.
func (l linkers) Make(ctx context.Context, f *pay.LinkForm) (*pay.PaymentLink, error) {
	made, err := l.Links.Make(ctx, f)
	return made, refusedOr(err)
}
