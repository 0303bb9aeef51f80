package admin

import (
	"context"

	"causeway/internal/store"
	"causeway/internal/vault"
)

// Resealed is the result of sealing all secrets again.
type Resealed struct {
	Sealed   int        `json:"sealed"`   // values at rest
	Resealed int        `json:"resealed"` // those under an older key before
	Unopened []Unopened `json:"unopened"` // those left as they are
}

// Unopened is a sealed value the Vault cannot open.
type Unopened struct {
	Table  string `json:"table"`
	Row    string `json:"row"`
	Column string `json:"column"`
	Error  string `json:"error"`
}

// Reseal seals every secret at rest under the newest secrets key, except those it cannot open. The older key is still needed for API
// keys made under it: their hashes cannot be made again.
func (a *Admin) Reseal(ctx context.Context) (Resealed, error) {
	var out Resealed
	err := a.Change(ctx, "secrets.reseal", "secrets", func(tx *store.Store) (before, after any, err error) {
		all, err := tx.SealedForUpdate(ctx)
		if err != nil {
			return nil, nil, err
		}
		out = Resealed{Sealed: len(all), Unopened: []Unopened{}}
		for i, v := range all {
			a.tell("sealing secrets again", i, len(all))
			if err := a.reseal(ctx, tx, v, &out); err != nil {
				return nil, nil, err
			}
		}
		return nil, out, nil
	})
	return out, err
}

// reseal also opens values under the newest key already: an unreadable one must not go unseen.
func (a *Admin) reseal(ctx context.Context, tx *store.Store, v store.Sealed, out *Resealed) error {
	place := vault.Where(v.Table, v.Row, v.Column)
	plain, err := a.Vault.Open(v.Value, place)
	if err != nil {
		out.Unopened = append(out.Unopened, Unopened{v.Table, v.Row, v.Column, err.Error()})
		return nil //nolint:nilerr // it is listed, and holds up no other
	}
	if !a.Vault.Stale(v.Value) {
		return nil
	}
	out.Resealed++
	v.Value = a.Vault.Seal(plain, place)
	return tx.SaveSealed(ctx, v)
}
