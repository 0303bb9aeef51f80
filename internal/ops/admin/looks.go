package admin

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/look"
)

const mostLogos = 10

// SetLook changes how a merchant's payers' pages look. Its logo is one of those that the merchant keeps.
func (a *Admin) SetLook(ctx context.Context, merchant uuid.UUID, l pay.Look) error {
	if l.Colour != "" {
		colour, ok := look.ReadColour(l.Colour)
		if !ok {
			return refuse("a colour is written as #rrggbb")
		}
		l.Colour = colour.String()
	}
	if !look.IsSupport(l.Support) {
		return refuse("the support address must be an e-mail address, or the address of a page that begins with https://")
	}
	return a.Change(ctx, "look.set", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		was, err := tx.LookOf(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		kept, err := tx.Logos(ctx, merchant)
		if err == nil && l.Logo != "" && !slices.Contains(kept, l.Logo) {
			err = refuse("there is no such logo")
		}
		if err != nil {
			return nil, nil, err
		}
		return was, map[string]any{"merchant_id": merchant, "look": l}, tx.SetLook(ctx, merchant, l)
	})
}

// SetReceipts switches receipts for a merchant's payers on or off.
func (a *Admin) SetReceipts(ctx context.Context, merchant uuid.UUID, on bool) error {
	return a.Change(ctx, "receipts.set", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		was, err := tx.Receipts(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		return map[string]any{"receipts": was}, map[string]any{"merchant_id": merchant, "receipts": on}, tx.SetReceipts(ctx, merchant, on)
	})
}

// AddLogo keeps a picture for a merchant's payers' pages, drawn anew, and returns its hash.
func (a *Admin) AddLogo(ctx context.Context, merchant uuid.UUID, file []byte) (hash string, err error) {
	logo, err := look.ReadLogo(file)
	if err != nil {
		return "", Refusal{why: err.Error()}
	}
	return logo.Hash, a.Change(ctx, "logo.add", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		kept, err := tx.Logos(ctx, merchant)
		if err == nil && len(kept) >= mostLogos && !slices.Contains(kept, logo.Hash) {
			err = refuse("at most %d logos are kept: remove one first", mostLogos)
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, map[string]any{"merchant_id": merchant, "logo": logo.Hash}, tx.AddLogo(ctx, merchant, logo.Hash, logo.Content)
	})
}

// DropLogo forgets a picture of a merchant. One that pages show is taken off them.
func (a *Admin) DropLogo(ctx context.Context, merchant uuid.UUID, hash string) error {
	return a.Change(ctx, "logo.remove", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		dropped, err := tx.DropLogo(ctx, merchant, hash)
		if err == nil && !dropped {
			err = pay.ErrNotFound
		}
		if err != nil {
			return nil, nil, err
		}
		shown, err := tx.LookOf(ctx, merchant)
		if err == nil && shown.Logo == hash {
			shown.Logo = ""
			err = tx.SetLook(ctx, merchant, shown)
		}
		return nil, map[string]any{"merchant_id": merchant, "logo": hash}, err
	})
}
