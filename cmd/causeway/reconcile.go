package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/migrations"
	"causeway/workers/reconcile"
)

// reconciled is the report of the ledger, with a report of each stopped wallet.
type reconciled struct {
	*reconcile.Report
	StoppedWallets []onchain.Report `json:"stopped_wallets"`
}

// reconcileCommand checks the ledger against itself and the networks, prints the report, and fails where anything differs.
func (p *program) reconcileCommand() *cobra.Command {
	recount := false
	c := &cobra.Command{Use: "reconcile", Args: cobra.NoArgs, Short: "check the ledger against itself and against the networks",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			s, err := p.Settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
			if err != nil {
				return err
			}
			defer p.Doing(c)()
			h, err := openService(c.Context(), s, p.Stderr, migrations.OperatorRole)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, h.close()) }()
			w := h.workers().Reconcile
			w.Told = p.Now.At
			if recount {
				if err := w.Recount(c.Context()); err != nil {
					return err
				}
			}
			report, err := w.Report(c.Context())
			if err != nil {
				return err
			}
			all := reconciled{Report: report}
			if all.StoppedWallets, err = h.onChain(h.store).Reports(c.Context()); err != nil {
				return err
			}
			if err := p.Print(all); err != nil {
				return err
			}
			if !report.Clean() || len(all.StoppedWallets) > 0 {
				return fmt.Errorf("%s, %s, %s, %s not reached", counted(len(report.Differences), "difference"),
					counted(len(report.StoppedAssets), "stopped asset"),
					counted(len(all.StoppedWallets), "stopped wallet"), counted(len(report.Unreached), "network"))
			}
			return nil
		}}
	c.Flags().BoolVar(&recount, "recount", false, "add up every posting again first: for whoever has mended something by hand")
	return c
}

func counted(n int, what string) string { return fmt.Sprint(n, " ", admin.Plural(int64(n), what)) }
