package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// reconcileCommand checks the ledger against itself and the networks, prints the report, and fails where anything differs.
func (p *program) reconcileCommand() *cobra.Command {
	recount := false
	c := &cobra.Command{Use: "reconcile", Args: cobra.NoArgs, Short: "check the ledger against itself and against the networks",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			s, err := p.settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
			if err != nil {
				return err
			}
			defer p.doing(c)()
			h, err := openHouse(c.Context(), s, p.stderr, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, h.close()) }()
			w := h.workers()
			w.Told = p.now.at
			if recount {
				if err := w.Recount(c.Context()); err != nil {
					return err
				}
			}
			report, err := w.Reconcile(c.Context())
			if err != nil {
				return err
			}
			if err := p.print(report); err != nil {
				return err
			}
			if !report.Clean() {
				return fmt.Errorf("%d differences, %d stopped assets, %d stopped wallets", len(report.Differences), len(report.StoppedAssets), len(report.StoppedWallets))
			}
			return nil
		}}
	c.Flags().BoolVar(&recount, "recount", false, "add up every posting again first: for whoever has mended something by hand")
	return c
}
