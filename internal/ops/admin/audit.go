package admin

import (
	"context"
	"strings"

	"causeway/internal/store"
)

// Audit lists changes, newest first; see store.Store.Audit.
func (a *Admin) Audit(ctx context.Context, subject string, below int64, limit int) ([]store.AuditRow, error) {
	return a.Store.Audit(ctx, subject, below, limit)
}

// VerifyAudit computes the audit's chain of hashes again. It refuses at the first row altered since it was written, and names it.
// Given the id and hash of a row noted elsewhere, it also requires that row: a chain forged as a whole would be in order in itself.
func (a *Admin) VerifyAudit(ctx context.Context, id int64, hash string) (*store.AuditHead, error) {
	head, broken, err := a.Store.VerifyAudit(ctx)
	if err != nil {
		return nil, err
	}
	if broken != nil {
		return nil, refuse("audit row %d is broken: %s", broken.ID, broken.Problem)
	}
	if hash == "" {
		return &head, nil
	}
	found, err := a.Store.AuditHash(ctx, id)
	if err != nil {
		return nil, named(err, "audit row %d", id)
	}
	if !strings.EqualFold(found, hash) {
		return nil, refuse("audit row %d is broken: its hash is not the one that was noted", id)
	}
	return &head, nil
}
