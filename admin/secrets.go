package admin

import (
	"context"

	"causeway/store"
	"causeway/vault"
)

// Resealed is what sealing again has come to.
type Resealed struct {
	Sealed   int `json:"sealed"`   // values at rest
	Resealed int `json:"resealed"` // of them, those that were under an older key
}

// Reseal seals every secret at rest under the newest secrets key. The older key is still needed for the API keys that
// were made under it: their hashes cannot be made again.
func (a *Admin) Reseal(ctx context.Context) (Resealed, error) {
	var out Resealed
	err := a.change(ctx, "secrets.reseal", "secrets", func(tx *store.Store) (before, after any, err error) {
		all, err := tx.SealedForUpdate(ctx)
		if err != nil {
			return nil, nil, err
		}
		out.Sealed = len(all)
		for i, v := range all {
			a.tell("sealing secrets again", i, len(all))
			if !a.Vault.Stale(v.Value) {
				continue
			}
			if err := a.reseal(ctx, tx, v); err != nil {
				return nil, nil, err
			}
			out.Resealed++
		}
		return nil, out, nil
	})
	return out, err
}

func (a *Admin) reseal(ctx context.Context, tx *store.Store, v store.Sealed) error {
	place := vault.Where(v.Table, v.Row, v.Column)
	plain, err := a.Vault.Open(v.Value, place)
	if err != nil {
		return refuse("%s of %s %s cannot be opened: %v", v.Column, v.Table, v.Row, err)
	}
	v.Value = a.Vault.Seal(plain, place)
	return tx.SaveSealed(ctx, v)
}
