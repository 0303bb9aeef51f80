package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// WalletFilter selects fixed wallets of one merchant; empty fields do not filter.
type WalletFilter struct {
	Merchant uuid.UUID
	Family   string
	Status   string
	Customer string
	Limit    int
	Offset   int
}

// ListWallets returns fixed wallets assigned by the API, newest first.
func (s *Store) ListWallets(ctx context.Context, f WalletFilter) ([]pay.Wallet, error) {
	var out []pay.Wallet
	q := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", f.Merchant).Where("origin = ?", pay.OriginAPI).
		Order("created_at DESC", "id DESC").Limit(int64(f.Limit)).Offset(int64(f.Offset))
	if f.Family != "" {
		q = q.Where("family = ?", f.Family)
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Customer != "" {
		q = q.Where("customer_info = ?", f.Customer)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list wallets: %w", err)
	}
	return out, nil
}

// AssignedWallet reads the wallet of a family and an origin now held by a customer of the merchant.
func (s *Store) AssignedWallet(ctx context.Context, merchant uuid.UUID, family pay.Family, customer, origin string) (*pay.Wallet, error) {
	w := new(pay.Wallet)
	err := s.Q.NewSelect().Model(w).Where("merchant_id = ? and family = ? and customer_info = ?", merchant, family, customer).
		Where("status = ? and origin = ?", pay.WalletAssigned, origin).Scan(ctx)
	return w, one(err, "wallet of a customer")
}

// MerchantWallet reads a fixed wallet of the merchant, whoever made it.
func (s *Store) MerchantWallet(ctx context.Context, merchant, id uuid.UUID) (*pay.Wallet, error) {
	w := new(pay.Wallet)
	err := s.Q.NewSelect().Model(w).Where("id = ? and merchant_id = ?", id, merchant).Scan(ctx)
	return w, one(err, "wallet of the merchant")
}

// CountPanelWallets counts the fixed wallets of the panel that a merchant holds now.
func (s *Store) CountPanelWallets(ctx context.Context, merchant uuid.UUID) (n int, err error) {
	err = s.Q.NewRaw("select count(*) from wallets where merchant_id = ? and status = ? and origin = ?", merchant, pay.WalletAssigned, pay.OriginPanel).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count wallets of the panel: %w", err)
	}
	return n, nil
}

// WalletForUpdate reads a fixed wallet and keeps it from changing until the transaction ends.
func (s *Store) WalletForUpdate(ctx context.Context, id uuid.UUID) (*pay.Wallet, error) {
	w := new(pay.Wallet)
	err := s.Q.NewSelect().Model(w).Where("id = ?", id).For("update").Scan(ctx)
	return w, one(err, "wallet "+id.String())
}

// WalletsForUpdate reads fixed wallets in id order and keeps them from changing until the transaction ends.
func (s *Store) WalletsForUpdate(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Wallet, error) {
	var rows []*pay.Wallet
	err := s.Q.NewSelect().Model(&rows).Where("id = any(?::uuid[])", pg.Array(ids)).Order("id").For("update").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read wallets: %w", err)
	}
	out := make(map[uuid.UUID]*pay.Wallet, len(rows))
	for _, w := range rows {
		out[w.ID] = w
	}
	return out, nil
}

// WalletCount is how many wallets of a family a merchant was ever given, and how many are still assigned.
type WalletCount struct {
	Family   pay.Family
	Ever     int
	Assigned int
}

// CountWallets counts the wallets assigned by the API for the merchant, by family.
func (s *Store) CountWallets(ctx context.Context, merchant uuid.UUID) ([]WalletCount, error) {
	var out []WalletCount
	err := s.Q.NewRaw(`select family, count(*) as ever, count(*) filter (where status = ?) as assigned
		from wallets where merchant_id = ? and origin = ? group by family`, pay.WalletAssigned, merchant, pay.OriginAPI).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("count wallets: %w", err)
	}
	return out, nil
}

// WalletRules reads the merchant's rules for fixed wallets and keeps others from creating wallets until the transaction
// ends; payins and payouts go on.
func (s *Store) WalletRules(ctx context.Context, merchant uuid.UUID) (*pay.Merchant, error) {
	m := new(pay.Merchant)
	err := s.Q.NewSelect().Model(m).Column("id", "wallets_mode", "wallets_limit", "wallets_limits").
		Where("id = ?", merchant).For("no key update").Scan(ctx)
	return m, one(err, "merchant "+merchant.String())
}

// SetWalletsWebhook changes where the notices of fixed wallets go; empty is nowhere.
func (s *Store) SetWalletsWebhook(ctx context.Context, merchant uuid.UUID, url string) error {
	if _, err := s.Q.NewRaw("update merchants set wallets_webhook_url = ? where id = ?", url, merchant).Exec(ctx); err != nil {
		return fmt.Errorf("set wallets webhook: %w", err)
	}
	return nil
}

// AddWallet records a fixed wallet and its address, and reads the columns set by the database.
func (s *Store) AddWallet(ctx context.Context, w *pay.Wallet, a *pay.Address) error {
	_, err := s.Q.NewInsert().Model(w).ExcludeColumn("created_at", "updated_at").Returning("created_at, updated_at").Exec(ctx)
	if err != nil {
		return fmt.Errorf("add wallet: %w", err)
	}
	return s.addAddress(ctx, a)
}

// TouchWallets notes a transfer to fixed wallets now, and takes back an announced revocation (addendum §9). The caller
// holds the rows.
func (s *Store) TouchWallets(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.Q.NewRaw("update wallets set last_transaction_at = now(), revoke_at = null, updated_at = now() where id = any(?::uuid[])",
		pg.Array(ids)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("touch wallets: %w", err)
	}
	return nil
}

// RevokeWallets announces the revocation of fixed wallets without a transfer for their merchant's inactivity period,
// and revokes wallets when their notice period is over; without a notice period both happen at once (addendum §9). If
// the inactivity period is zero days, nothing is announced, and earlier announcements are taken back. A transfer clears
// the announcement of its wallet. So a wallet is revoked only when every followed network of its family was followed up
// to the announced time, or, without a notice period, up to a minute ago.
//
// networks and families are the networks known to this process, followed the networks it follows. Other networks count
// only if another process has followed them in the last ten minutes: while a version or a networks file is rolled out,
// this process may not know them yet. A network outside of networks may be of any family.
func (s *Store) RevokeWallets(ctx context.Context, followed, networks, families []string) error {
	_, err := s.Q.NewRaw(`update wallets w set updated_at = now(),
			revoke_at = case when m.inactivity_days > 0 then now() + m.revoke_notice_days * interval '1 day' end
		from merchants m where m.id = w.merchant_id and w.status = 'STATUS_ASSIGNED' and (m.inactivity_days = 0 and w.revoke_at is not null
			or m.inactivity_days > 0 and w.revoke_at is null
			and coalesce(w.last_transaction_at, w.created_at) <= now() - m.inactivity_days * interval '1 day')`).Exec(ctx)
	if err != nil {
		return fmt.Errorf("announce revocations: %w", err)
	}
	_, err = s.Q.NewRaw(`update wallets w set status = 'STATUS_REVOKED', updated_at = now()
		from merchants m where m.id = w.merchant_id and w.status = 'STATUS_ASSIGNED' and w.revoke_at <= now() and not exists (
			select from unnest(?::text[], ?::text[]) as n(network, family) full join followers f on f.network = n.network
			where coalesce(n.family = w.family, true) and (n.network = any(?) or f.updated_at > now() - interval '10 minutes')
				and (f.passed_until >= w.revoke_at
					or m.revoke_notice_days = 0 and f.passed_until >= now() - interval '1 minute') is not true)`,
		pg.Array(networks), pg.Array(families), pg.Array(followed)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("revoke wallets: %w", err)
	}
	return nil
}
