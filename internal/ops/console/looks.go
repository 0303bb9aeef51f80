package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/store"
	"causeway/internal/web/panel"
)

// panelBelow begins the addresses of the pages of a merchant's panel.
func panelBelow(merchant uuid.UUID) string {
	return Prefix + "merchants/" + merchant.String() + "/panel/"
}

// looks answers a page of a merchant's panel. The audit has the look before the page is made.
func (c *Console) looks(path string) http.HandlerFunc {
	shown := c.page(lookAt[path])
	return func(w http.ResponseWriter, r *http.Request) {
		v, ok := c.enter(w, r)
		if !ok {
			return
		}
		if err := c.auditLook(r, v.Name); err != nil {
			c.failed(w, r, err)
			return
		}
		shown(w, r)
	}
}

// auditLook writes a look into the audit, where the merchant finds it as well. It returns pay.ErrNotFound where there is no such merchant.
func (c *Console) auditLook(r *http.Request, operator string) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	merchant := id(r.PathValue("merchant"))
	if _, err := c.Store.Merchant(ctx, merchant); err != nil {
		return err
	}
	return c.Store.AddAudit(ctx, operator, store.LookAction, "merchant:"+merchant.String(), nil, map[string]any{"merchant_id": merchant,
		"page": clean(cut(strings.TrimPrefix(r.URL.Path, panelBelow(merchant)))), "csv": r.URL.Query().Get("format") == "csv"})
}

// lookAt has the function to make each page of a merchant's panel, by its path of the panel.
var lookAt = func() map[string]pageFunc {
	out := map[string]pageFunc{}
	for _, path := range panel.Looked() {
		out[path] = panelPage(path)
	}
	return out
}()

// panelPage makes a page of a merchant's panel.
func panelPage(path string) pageFunc {
	return func(v *visit) (*page, error) {
		m, err := v.Store.Merchant(v.Context(), id(v.PathValue("merchant")))
		if err != nil {
			return nil, err
		}
		made, err := v.look(v.Context(), panel.Look{Page: path, Merchant: m.ID, Called: m.Name, Below: panelBelow(m.ID)})
		if err != nil {
			return nil, err
		}
		made.Section, made.Tags = "Merchants", append(made.Tags, pill("panel of "+m.Name, "idle"))
		if made.Up == nil {
			made.Up = &link{Text: m.Name, Href: Prefix + "merchants/" + m.ID.String()}
		}
		return made, nil
	}
}

// look reads a page of the panel in a transaction that cannot write.
func (v *visit) look(ctx context.Context, l panel.Look) (made *page, err error) {
	err = v.Store.Snapshot(ctx, func(tx *store.Store) (err error) {
		d := *v.console.Panel
		d.Store, d.Vault = tx, v.Vault
		made, err = d.Look(v.Asked, l)
		return err
	})
	return made, err
}
