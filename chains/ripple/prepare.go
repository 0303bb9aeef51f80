package ripple

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/ripple/client"
)

// payment is an order in the terms of the ledger.
type payment struct {
	to     account
	amount int64 // in drops
	tag    *uint32
	most   bool // the fee comes out of the amount
}

// facts are a node's answers about a spend.
type facts struct {
	fees
	reserves
	validated int64           // index of the ledger of these answers
	from      *client.Account // in the validated ledger; nil where there is no account
	balance   int64
	next      uint64
	payee     *client.Account // nil where there is no account
	held      int64           // by the payee
	barred    bool            // the payee takes no money of the wallet
}

// Prepare asks a node about a spend of at most one order: first whether the wallet holds enough and keeps its reserve (else ErrShort), then
// whether the ledger would carry it out (else ErrUnpayable).
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	d, err := s.prepare(ctx, spend)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return d, nil
}

func (s *Sender) prepare(ctx context.Context, spend chains.Spend) (*draft, error) {
	from, err := s.wallet(ctx, spend.From)
	switch {
	case err != nil:
		return nil, err
	case len(spend.Orders) > 1:
		return nil, fmt.Errorf("%d orders, and a transaction pays one", len(spend.Orders))
	case spend.Act != "" && (spend.Act != chains.ActPrepare || len(spend.Orders) > 0 || from.branch != addresses.DepositBranch):
		return nil, fmt.Errorf("not an act of %s: %q", from, spend.Act)
	case len(spend.Orders) == 0 && len(spend.Over) == 0 && spend.Act == "":
		return nil, errors.New("no order, and nothing was signed before")
	}
	before, err := readEarlier(from, spend.Over)
	if err != nil {
		return nil, err
	}
	var p *payment
	if len(spend.Orders) > 0 {
		if p, err = s.payment(from, spend.Orders[0], spend.Most); err != nil {
			return nil, err
		}
	}
	var f *facts
	err = s.node.Use(ctx, func(n node) (err error) {
		f, err = s.learn(ctx, n, from, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	d, err := s.draft(from, p, before, f)
	if err == nil && spend.Act == chains.ActPrepare {
		if f.from.Data.Flags&flagRequireTag != 0 {
			return nil, fmt.Errorf("%w: %s wants destination tags already", chains.ErrUnpayable, from)
		}
		d.order.setFlag = requireDest
	}
	return d, err
}

// mostDrops are all drops there are.
const mostDrops = 100_000_000_000 * 1_000_000

// payment reads an order. A tag in the address and a memo beside it are the same, or none is paid.
func (s *Sender) payment(from wallet, order chains.Order, most bool) (*payment, error) {
	if order.Token != coin {
		return nil, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, order.Token)
	}
	canonical, err := s.payable(from, order.To)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	base, inside, tagged := addresses.Tag(Network, canonical)
	p := &payment{most: most}
	if p.to, err = addresses.RippleAccount(base); err != nil {
		return nil, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	memo := order.Memo
	switch {
	case tagged && memo == "":
		memo = inside
	case tagged && memo != inside:
		return nil, fmt.Errorf("%w: the memo is another destination tag than the one in the address", chains.ErrUnpayable)
	}
	if memo != "" {
		tag, err := strconv.ParseUint(memo, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: the memo is no destination tag", chains.ErrUnpayable)
		}
		number := uint32(tag)
		p.tag = &number
	}
	drops := order.Amount.Shift(coinDecimals)
	switch {
	case order.Amount.Sign() <= 0 || !drops.IsInteger():
		return nil, fmt.Errorf("%w: not an amount of %s", chains.ErrUnpayable, coin)
	case drops.GreaterThan(decimal.NewFromInt(mostDrops)):
		return nil, &chains.Short{Token: coin, Missing: order.Amount}
	}
	p.amount = drops.IntPart()
	return p, nil
}

// payable checks a recipient: a deposit address pays the hot wallet alone, and no wallet pays itself.
func (s *Sender) payable(from wallet, to string) (string, error) {
	canonical, err := addresses.Validate(Network, to)
	if err != nil {
		return "", err
	}
	switch to := s.Match(canonical); {
	case to == from.account.String():
		return "", fmt.Errorf("%w: the wallet itself", chains.ErrNotPayable)
	case from.branch == addresses.DepositBranch && to != s.Hot():
		return "", fmt.Errorf("%w: a deposit address pays the hot wallet alone", chains.ErrNotPayable)
	}
	return canonical, nil
}

// learn asks what is needed to know about a spend, at the same time.
func (s *Sender) learn(ctx context.Context, n node, from wallet, p *payment) (*facts, error) {
	f := &facts{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(ledgersAtOnce)
	group.Go(func() (err error) { f.fees, err = s.fees(ctx, n); return err })
	group.Go(func() (err error) { f.reserves, err = s.reserves(ctx, n); return err })
	group.Go(func() (err error) {
		f.from, f.balance, err = info(ctx, n, from.account.String(), "validated")
		if f.from != nil {
			f.validated = f.from.Index
		}
		return present(err)
	})
	group.Go(func() error {
		now, _, err := info(ctx, n, from.account.String(), "current")
		if now != nil {
			f.next = next(now)
		}
		return present(err)
	})
	if p != nil {
		group.Go(func() (err error) {
			f.payee, f.held, err = info(ctx, n, p.to.String(), "validated")
			if err == nil && f.payee.Data.Flags&flagDepositAuth != 0 {
				f.barred, err = s.barred(ctx, n, from.account, p.to)
			}
			return present(err)
		})
	}
	return f, group.Wait()
}

// present is err, unless it says that there is no account.
func present(err error) error {
	if errors.Is(err, errNoAccount) {
		return nil
	}
	return err
}

// barred reports whether an account takes money of those alone whom it has named, and the wallet is none of them.
func (s *Sender) barred(ctx context.Context, n node, from, to account) (bool, error) {
	var told client.Authorized
	err := n.Client.Call(ctx, &told, "deposit_authorized", map[string]any{"source_account": from.String(), "destination_account": to.String(),
		"ledger_index": "validated"})
	return !told.Authorized, err
}

// The flags of an account that are looked at before it is paid.
const (
	flagRequireTag  uint32 = 0x00020000
	flagDisallowXRP uint32 = 0x00080000
	flagDepositAuth uint32 = 0x01000000
)

// unpayable says why the ledger would not carry out a payment, "" if it would. XRP that an account says it does not want is refused too: its
// owner may not be able to use it.
func (f *facts) unpayable(p *payment) string {
	switch {
	case f.payee == nil && p.amount < f.base:
		return fmt.Sprintf("the recipient has no account yet, which takes %s XRP at least", xrp(f.base))
	case f.payee == nil:
		return ""
	case f.payee.Data.Flags&flagRequireTag != 0 && p.tag == nil:
		return "the recipient wants a destination tag"
	case f.payee.Data.Flags&flagDisallowXRP != 0:
		return "the recipient says that it wants no XRP"
	case f.barred && (p.amount > f.base || f.held > f.base):
		return "the recipient takes XRP of those alone whom it has named"
	case f.payee.Data.AMM != "" || f.payee.Data.Vault != "" || f.payee.Data.Broker != "":
		return "the recipient is a pool, which nobody pays"
	}
	return ""
}
