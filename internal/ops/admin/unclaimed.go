package admin

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/ledger"
)

// Transfer is money for nobody, as the operator sees it.
type Transfer struct {
	ID       uuid.UUID          `json:"id"`
	Network  string             `json:"network"`
	Txid     string             `json:"txid"`
	Token    string             `json:"token"`
	Position int                `json:"position"`
	From     string             `json:"from"`
	Address  string             `json:"address"`
	Memo     string             `json:"memo"`
	Amount   decimal.Decimal    `json:"amount"`
	Status   pay.TransferStatus `json:"status"`
	Reason   *string            `json:"reason"`
	Height   *int64             `json:"height"`
	PayinID  *uuid.UUID         `json:"payin_id"` // made when it is assigned
	SeenAt   time.Time          `json:"seen_at"`
	Owner    *store.Owner       `json:"owner"` // the owner of the address it came to; null where there is none
}

func viewTransfer(t *pay.Transfer) Transfer {
	return Transfer{ID: t.ID, Network: t.Network, Txid: t.Txid, Token: t.Token, Position: t.Position, From: t.Sender, Address: t.Address,
		Memo: t.Memo, Amount: t.Amount, Status: t.Status, Reason: t.Reason, Height: t.Height, PayinID: t.PayinID, SeenAt: t.SeenAt}
}

// Unclaimed lists all transfers waiting for a decision, oldest first (addendum §8).
func (a *Admin) Unclaimed(ctx context.Context) ([]Transfer, error) {
	return allRows(func(after uuid.UUID) ([]Transfer, error) { return a.UnclaimedAfter(ctx, after, perPiece) },
		func(t *Transfer) uuid.UUID { return t.ID })
}

// UnclaimedAfter is the same list after one of its transfers, or from the first where after is uuid.Nil.
func (a *Admin) UnclaimedAfter(ctx context.Context, after uuid.UUID, limit int) ([]Transfer, error) {
	rows, err := a.Store.UnclaimedTransfers(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	owners, err := ownersOf(ctx, a.Store, rows)
	if err != nil {
		return nil, err
	}
	out := make([]Transfer, len(rows))
	for i := range rows {
		out[i] = viewTransfer(&rows[i])
		out[i].Owner = owners[rows[i].ID]
	}
	return out, nil
}

// UnclaimedTransfer reads a transfer, whatever was decided about it.
func (a *Admin) UnclaimedTransfer(ctx context.Context, id uuid.UUID) (*Transfer, error) {
	t, err := a.Store.Transfer(ctx, id)
	if err != nil {
		return nil, named(err, "unclaimed transfer %s", id)
	}
	owners, err := ownersOf(ctx, a.Store, []pay.Transfer{*t})
	if err != nil {
		return nil, err
	}
	view := viewTransfer(t)
	view.Owner = owners[t.ID]
	return &view, nil
}

// ownersOf returns the owners of the addresses of transfers, by the transfers' ids. Where memos tell, it is the owner of the newest
// with that memo.
func ownersOf(ctx context.Context, s *store.Store, transfers []pay.Transfer) (map[uuid.UUID]*store.Owner, error) {
	byFamily := map[pay.Family][]*pay.Transfer{}
	for i := range transfers {
		if n, ok := pay.NetworkNamed(transfers[i].Network); ok {
			byFamily[n.Family] = append(byFamily[n.Family], &transfers[i])
		}
	}
	out := make(map[uuid.UUID]*store.Owner, len(transfers))
	for family, there := range byFamily {
		places := make([]store.Place, len(there))
		for i, t := range there {
			places[i] = store.Place{Match: t.Address, Memo: t.Memo}
		}
		known, err := s.AddressesAt(ctx, family, places)
		if err != nil {
			return nil, err
		}
		owners, err := s.OwnersOf(ctx, slices.Collect(maps.Values(known)))
		if err != nil {
			return nil, err
		}
		for i, t := range there {
			if a := cmp.Or(known[places[i]], known[store.Place{Match: t.Address}]); a != nil {
				out[t.ID] = owners[a.ID]
			}
		}
	}
	return out, nil
}

// AssignUnclaimed gives an unclaimed or ignored transfer to a merchant, without fees. If its address is that of an open or failed
// payin of the merchant, it credits that payin and tells its webhook. Otherwise the transfer becomes the only payment of a completed
// payin: the merchant sees it in lists and statement, and a reorganisation without the transfer takes it back like any other. Only
// the follower knows whether it is final: it stays locked until the follower's next step says so. A transfer to another merchant's
// address needs although: nothing takes it back.
func (a *Admin) AssignUnclaimed(ctx context.Context, id, merchant uuid.UUID, although bool) (*Transfer, error) {
	return a.changeTransfer(ctx, "unclaimed.assign", id, func(tx *store.Store, t *pay.Transfer, owner *store.Owner) error {
		m, err := tx.Merchant(ctx, merchant)
		if err != nil {
			return named(err, "merchant %s", merchant)
		}
		if owner != nil && owner.MerchantID != m.ID && !although {
			return refuse("it came to an address of merchant %s (%s): to assign it to another merchant, confirm that (--although-anothers)",
				owner.MerchantID, owner.Merchant)
		}
		whole := ledger.Cut(t.Amount)
		if !whole.IsPositive() {
			return refuse("%s %s is below the ledger's precision: it can only be ignored", t.Amount, t.Token)
		}
		if t.Amount.GreaterThan(ledger.MaxTransfer) {
			return refuse("%s %s is more than the ledger can hold: it can only be ignored", t.Amount, t.Token)
		}
		asset, err := tx.AssetOf(ctx, t.Token, t.Network)
		if err != nil {
			return err
		}
		known, err := payinAt(ctx, tx, m, t)
		if err != nil {
			return err
		}
		if known != nil {
			return creditKnown(ctx, tx, m, known, asset, t, whole)
		}
		p := assigned(m, asset, t)
		if err := value(ctx, tx, m, p); err != nil {
			return err
		}
		if err := place(ctx, tx, p, t); err != nil {
			return err
		}
		if _, err := tx.AddPayin(ctx, p, nil); err != nil {
			return err
		}
		p.Received = whole
		if err := tx.SavePayin(ctx, p); err != nil {
			return err
		}
		t.PayinID, t.Status, t.Credited, t.Counted = &p.ID, pay.TransferCredited, whole, whole
		if _, err := ledger.Post(ctx, tx.Q, ledger.OfPayin(p, ledger.UnclaimedAssigned(m.ID, asset, t))); err != nil {
			return err
		}
		return tellOfWallet(ctx, tx, m, p, t)
	})
}

// tellOfWallet sends the notice of a payin at a fixed wallet of the merchant's (api-v1 §Events rule 2).
func tellOfWallet(ctx context.Context, tx *store.Store, m *pay.Merchant, p *pay.Payin, t *pay.Transfer) error {
	if _, panel := pay.OfPanel(p.KeyID); panel || p.WalletID == nil || m.WalletsWebhook == "" {
		return nil
	}
	return tell(ctx, tx, pay.PaymentConfirmed, p, &pay.PayinTransfers{Shown: []pay.Transfer{*t}}, nil, m.WalletsWebhook)
}

// place writes the payin's address as we gave it out, where the transfer has the form for matching. It notes the merchant's fixed
// wallet there, also a revoked one.
func place(ctx context.Context, tx *store.Store, p *pay.Payin, t *pay.Transfer) error {
	n, ok := pay.NetworkNamed(t.Network)
	if !ok {
		return nil
	}
	exact, plain := store.Place{Match: t.Address, Memo: t.Memo}, store.Place{Match: t.Address}
	ours, err := tx.AddressesAt(ctx, n.Family, []store.Place{exact, plain})
	a := cmp.Or(ours[exact], ours[plain])
	if err != nil || a == nil {
		return err
	}
	p.Wallet = a.Address
	if a.WalletID == nil {
		return nil
	}
	wallet, err := tx.WalletForUpdate(ctx, *a.WalletID)
	if err == nil && wallet.MerchantID == p.MerchantID {
		p.WalletID, p.CustomerInfo = &wallet.ID, &wallet.CustomerInfo
		if wallet.Origin != pay.OriginAPI {
			p.KeyID = pay.PanelKey("")
		}
	}
	return err
}

// longestMemo is the longest memo a payin keeps of a transfer. A longer one is left out whole: payins are found by it, and a payer
// may write pages.
const longestMemo = 64

// assigned returns the payin completed by an assigned transfer.
func assigned(m *pay.Merchant, asset string, t *pay.Transfer) *pay.Payin {
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: m.ID, Wallet: t.Address, Token: t.Token, Asset: asset, Network: t.Network,
		ProcessBy: pay.ByCrypto, Amount: ledger.Cut(t.Amount), MinimumPayment: decimal.NewFromInt(100),
		Status: pay.PayinCompleted, ExpiresAt: time.Now()}
	p.ReferenceID = p.ID.String()
	if t.Memo != "" && len(t.Memo) <= longestMemo {
		p.Memo = &t.Memo
	}
	return p
}

// value sets the payin's worth now in its merchant's fiat currency, if there is a price (addendum §13).
func value(ctx context.Context, tx *store.Store, m *pay.Merchant, p *pay.Payin) error {
	cat, err := tx.Catalogue(ctx)
	if err != nil {
		return err
	}
	p.FiatCurrency = pay.FiatOf(m, cat.Fiats)
	if quote, ok := pricing.NewRates(cat.Prices, time.Now()).Price(p.Token, p.FiatCurrency); ok {
		p.Price, p.FiatAmount = decimal.NewNullDecimal(quote.Price), decimal.NewNullDecimal(quote.Worth(p.Amount))
	}
	return nil
}

// IgnoreUnclaimed takes a transfer off the list; the money stays in the network's unclaimed account.
func (a *Admin) IgnoreUnclaimed(ctx context.Context, id uuid.UUID) (*Transfer, error) {
	return a.changeTransfer(ctx, "unclaimed.ignore", id, func(_ *store.Store, t *pay.Transfer, _ *store.Owner) error {
		t.Status = pay.TransferIgnored
		return nil
	})
}

func (a *Admin) changeTransfer(ctx context.Context, action string, id uuid.UUID,
	work func(*store.Store, *pay.Transfer, *store.Owner) error) (*Transfer, error) {
	var view Transfer
	err := a.Change(ctx, action, "transfer:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		t, err := tx.TransferForUpdate(ctx, id)
		if err != nil {
			return nil, nil, named(err, "unclaimed transfer %s", id)
		}
		if t.Status != pay.TransferUnclaimed && t.Status != pay.TransferIgnored {
			return nil, nil, refuse("transfer %s is %s, not unclaimed", id, t.Status)
		}
		owners, err := ownersOf(ctx, tx, []pay.Transfer{*t})
		if err != nil {
			return nil, nil, err
		}
		was := viewTransfer(t)
		was.Owner = owners[t.ID]
		if err := work(tx, t, was.Owner); err != nil {
			return nil, nil, err
		}
		view = viewTransfer(t)
		view.Owner = was.Owner
		return was, view, tx.SaveTransfers(ctx, []pay.Transfer{*t})
	})
	return &view, err
}
