package panel

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/qr"
	"causeway/internal/web/room"
)

// Deposits makes payins and fixed wallets for people of a merchant. A people.Refusal says why there is none.
type Deposits interface {
	// Made returns the payin that a form has recorded; nil for none.
	Made(ctx context.Context, n *pay.Deposit) (*pay.Payin, error)
	// New records the payin of a form, once.
	New(ctx context.Context, n *pay.Deposit) (*pay.Payin, error)
	// Wallet returns the fixed wallet of a type that the panel has under a name, made now or before.
	Wallet(ctx context.Context, merchant uuid.UUID, email string, family pay.Family, name string) (*pay.Wallet, error)
}

// depositPage asks what to deposit.
func depositPage(v *visit) (*room.Page, error) {
	out := &room.Page{Title: "Deposit", Section: "Deposit"}
	if !v.May(people.Deposit) {
		out.Parts = []room.Part{{Note: "Your role can view this page but not deposit."}}
		return out, nil
	}
	tokens, err := v.panel.Store.Tokens(v.Context())
	if err != nil {
		return nil, err
	}
	m, err := v.panel.Store.Merchant(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	var offered []room.Option
	for i := range tokens {
		if t := &tokens[i]; t.Active && t.Deposits {
			offered = append(offered, room.Option{Value: t.Symbol + "|" + t.Network, Text: t.Symbol + " on " + t.Network})
		}
	}
	out.Parts = []room.Part{{Heading: "One payment", Half: true, Note: "An address for one payment, within 24 hours.", Forms: []room.Form{{Action: Prefix + "deposit", Verb: "Get an address",
		Fields: []room.Field{{Name: "form", Kind: "hidden", Value: uuid.Must(uuid.NewV7()).String()}, chosenFrom(offered), {Name: "amount", Label: "Amount", Kind: "text", Required: true}}}}}}
	if m.WalletsMode != "" {
		out.Parts = append(out.Parts, walletForm())
	}
	return out, nil
}

func walletForm() room.Part {
	family := room.Field{Name: "type", Label: "Type", Kind: "select"}
	seen := map[pay.Family]bool{}
	for i := range pay.Networks {
		if f := pay.Networks[i].Family; !seen[f] {
			seen[f] = true
			family.Options = append(family.Options, room.Option{Value: string(f), Text: string(f)})
		}
	}
	return room.Part{Heading: "A fixed wallet", Half: true, Note: "An address for any number of payments. The same name always has the same address.",
		Forms: []room.Form{{Action: Prefix + "deposit/wallet", Verb: "Get a fixed wallet",
			Fields: []room.Field{family, {Name: "name", Label: "Name", Kind: "text", Required: true, Hint: "without spaces"}}}}}
}

// deposit records the payin of a form. A form that has recorded it shows it.
func deposit(v *visit) (outcome, error) {
	w := v.withdrawal()
	n := &pay.Deposit{Form: w.Form, Merchant: v.Merchant, Email: v.Person.Email, Network: w.Network, Token: w.Token, Amount: w.Amount}
	if n.Form == uuid.Nil {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	p, err := v.panel.Deposits.Made(v.Context(), n)
	if err == nil && p == nil {
		if err = v.auditDeposit("person.deposit", map[string]any{"reference_id": pay.PanelReference(n.Form, 0), "network": n.Network, "token": n.Token, "amount": n.Amount}); err == nil {
			p, err = v.panel.Deposits.New(v.Context(), n)
		}
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "Pay to the address below.", to: "payins/" + p.ID.String()}, nil
}

// depositWallet makes a fixed wallet, or shows the one of the name.
func depositWallet(v *visit) (outcome, error) {
	family, name := v.given("type"), v.given("name")
	if err := v.auditDeposit("person.wallet", map[string]any{"type": family, "name": name}); err != nil {
		return outcome{}, err
	}
	w, err := v.panel.Deposits.Wallet(v.Context(), v.Merchant, v.Person.Email, pay.Family(family), name)
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "Pay to the address below.", to: "wallets/" + w.ID.String()}, nil
}

// auditDeposit writes the audit's row before a deposit is recorded.
func (v *visit) auditDeposit(action string, said map[string]any) error {
	return v.admin().Change(v.Context(), action, "merchant:"+v.Merchant.String(), func(*store.Store) (before, after any, err error) {
		said["merchant_id"] = v.Merchant
		return nil, said, nil
	})
}

// wallet shows one fixed wallet of the merchant, with its QR code.
func wallet(v *visit) (*room.Page, error) {
	w, err := v.panel.Store.MerchantWallet(v.Context(), v.Merchant, room.ID(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	origin := "the API"
	if w.Origin != pay.OriginAPI {
		origin = "the panel"
	}
	return &room.Page{Title: "Fixed wallet of " + room.Cut(w.CustomerInfo), Section: "Fixed wallets", Up: &room.Link{Text: "Fixed wallets", Href: Prefix + "wallets"},
		Tags: []room.Cell{room.Status(string(w.Status))}, Parts: []room.Part{addressPart(w.Wallet, w.Status == pay.WalletAssigned), {Facts: []room.Fact{
			{Name: "Type", Cell: room.Text(string(w.Family))}, {Name: "Made by", Cell: room.Text(origin)}, {Name: "Created", Cell: room.When(w.CreatedAt)},
			{Name: "Last transfer", Cell: room.WhenOr(w.LastTransactionAt, "never")}, {Name: "Revoked", Cell: room.WhenOr(w.RevokeAt, "–")}}}}}, nil
}

// addressPart shows an address, and while it takes money its QR code too. A text too long for a code has none.
func addressPart(address string, open bool) room.Part {
	out := room.Part{Facts: []room.Fact{{Name: "Address", Cell: room.Whole(address)}}}
	if !open {
		return out
	}
	if drawn, err := qr.Make(address); err == nil {
		out.Code = drawn
	}
	return out
}

// payPart shows where a deposit of the panel is paid, while it waits for its money.
func payPart(v *visit, p *pay.Payin) []room.Part {
	if _, panel := pay.OfPanel(p.KeyID); !panel || p.WalletID != nil || p.Status != pay.PayinPending {
		return nil
	}
	out := addressPart(p.Wallet, true)
	out.Note = "Send exactly this token on this network. What comes later is credited as late money."
	if p.Memo != nil {
		out.Facts = append(out.Facts, room.Fact{Name: "Memo", Cell: room.Whole(*p.Memo)})
		out.Note += " Without the memo the payment cannot be told apart."
	}
	if v.panel.PayerPage != nil {
		out.Links = []room.Link{{Text: "The payer's page", Href: v.panel.PayerPage(p.ID)}}
	}
	return []room.Part{out}
}
