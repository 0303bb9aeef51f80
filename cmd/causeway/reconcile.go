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
			s, err := p.Settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
			if err != nil {
				return err
			}
			defer p.Doing(c)()
			h, err := openHouse(c.Context(), s, p.Stderr, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, h.close()) }()
			w := h.workers()
			w.Told = p.Now.At
			if recount {
				if err := w.Recount(c.Context()); err != nil {
					return err
				}
			}
			report, err := w.Reconcile(c.Context())
			if err != nil {
				return err
			}
			if err := p.Print(report); err != nil {
				return err
			}
			if !report.Clean() {
				return fmt.Errorf("%d differences, %d stopped assets, %d stopped wallets, %d networks not reached",
					len(report.Differences), len(report.StoppedAssets), len(report.StoppedWallets), len(report.Unreached))
			}
			return nil
		}}
	c.Flags().BoolVar(&recount, "recount", false, "add up every posting again first: for whoever has mended something by hand")
	return c
}
