package admincmd

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) auditCommands() *cobra.Command {
	var (
		subject, noted string
		below          int64
		limit          = 100
	)
	list := p.adminAction("list", "list changes by operators, newest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
			return a.Audit(ctx, subject, below, limit)
		})
	list.Flags().StringVar(&subject, "subject", "", "only of this subject: merchant:ID, asset:USDT, …")
	command.Whole(list.Flags(), &below, "below", 0, math.MaxInt64, "only before this row")
	command.Whole(list.Flags(), &limit, "limit", 1, math.MaxInt32, "at most this many")
	verify := p.adminAction("verify [--noted ID:HASH]",
		"compute the chain of hashes again; reports the first row that was changed", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
			id, hash, err := notedRow(noted)
			if err != nil {
				return nil, err
			}
			return a.VerifyAudit(ctx, id, hash)
		})
	verify.Flags().StringVar(&noted, "noted", "", "ID:HASH of a row as verify printed it before: the row must be unchanged")
	return command.Group("audit", "who changed what", list, verify)
}

// notedRow reads ID:HASH; empty is none.
func notedRow(text string) (id int64, hash string, err error) {
	if text == "" {
		return 0, "", nil
	}
	number, hash, ok := strings.Cut(text, ":")
	id, err = strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || hash == "" {
		return 0, "", command.Usagef("--noted: %q is not ID:HASH, as verify prints them", text)
	}
	return id, hash, nil
}
