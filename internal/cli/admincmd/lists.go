package admincmd

import (
	"context"
	"math"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/lists"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// defaultRows is how many rows a list has where --limit does not say.
const defaultRows = 100

// paging are the flags to read a list page by page.
type paging struct {
	below string
	limit int
}

func (p *paging) flags(c *cobra.Command) {
	p.limit = defaultRows
	c.Flags().StringVar(&p.below, "below", "", "start after the row with this id, the last one of the page before")
	command.Whole(c.Flags(), &p.limit, "limit", 1, math.MaxInt32, "at most this many")
}

// idOr reads an optional id.
func idOr(what, text string) (uuid.UUID, error) {
	if text == "" {
		return uuid.Nil, nil
	}
	return command.IDOf(what, text)
}

func (p *commands) merchantList() *cobra.Command {
	var (
		page   paging
		search string
	)
	c := p.adminAction("list", "list merchants by name", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
			below, err := idOr("merchant", page.below)
			if err != nil {
				return nil, err
			}
			return a.Merchants(ctx, search, below, page.limit)
		})
	c.Flags().StringVar(&search, "search", "", "only those whose name or e-mail address contains this, or whose id starts with it")
	page.flags(c)
	return c
}

func (p *commands) keyList() *cobra.Command {
	var (
		page     paging
		f        store.KeyFilter
		merchant string
	)
	c := p.adminAction("list", "list API keys, newest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (_ any, err error) {
			if f.Merchant, err = idOr("merchant", merchant); err != nil {
				return nil, err
			}
			f.Below, f.Limit = page.below, page.limit
			return a.Keys(ctx, f)
		})
	c.Flags().StringVar(&merchant, "merchant", "", "only of this merchant")
	c.Flags().BoolVar(&f.Active, "active", false, "only those that are neither revoked nor expired")
	page.flags(c)
	return c
}

// moneyList is a list of payins or payouts.
func moneyList[T any](p *commands, kind string, do func(*admin.Admin, context.Context, lists.AcrossFilter, string) ([]T, error)) *cobra.Command {
	var (
		page                          paging
		f                             lists.AcrossFilter
		merchant, status, from, until string
	)
	c := p.adminAction("list", "list "+kind+"s of all merchants, newest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (_ any, err error) {
			m, err := idOr("merchant", merchant)
			if err != nil {
				return nil, err
			}
			if m != uuid.Nil {
				f.Merchants = []uuid.UUID{m}
			}
			if f.From, f.Until, err = store.Days(from, until); err != nil {
				return nil, command.Usagef("%s", err)
			}
			if f.Before, err = idOr(kind, page.below); err != nil {
				return nil, err
			}
			f.Limit = page.limit
			return do(a, ctx, f, status)
		})
	c.Flags().StringVar(&merchant, "merchant", "", "only of this merchant")
	c.Flags().StringVar(&status, "status", "", "only of this status")
	c.Flags().StringVar(&f.Network, "network", "", "only on this network")
	c.Flags().StringVar(&f.Token, "token", "", "only in this token")
	c.Flags().StringVar(&f.Reference, "reference", "", "only those whose reference_id starts with this, sorted by reference_id")
	c.Flags().StringVar(&f.Customer, "customer", "", "only of this customer_info")
	c.Flags().StringVar(&from, "from", "", "only those created on this day or later, as 2006-01-02 in UTC")
	c.Flags().StringVar(&until, "until", "", "only those created on this day or earlier")
	page.flags(c)
	return c
}

func (p *commands) payinCommands() *cobra.Command {
	show := p.adminAction("show REF", "show a payin with its transfers, postings and webhooks", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) { return a.Payin(ctx, args[0]) })
	return command.Group("payin", "look at payins, and let payers say where refunds go", moneyList(p, "payin", (*admin.Admin).Payins), show, p.refundLink(), p.refundRevoke())
}
