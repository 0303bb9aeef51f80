package admincmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/archive"
	"causeway/internal/store"
	"causeway/migrations"
)

func (p *commands) archiveCommands() *cobra.Command {
	return command.Group("archive", "closed months of the books and the audit as files", p.archiveWriteCommand(), p.archiveVerifyCommand())
}

func (p *commands) archiveWriteCommand() *cobra.Command {
	var from, until string
	c := p.adminAction("write DIR [--from MONTH] [--until MONTH]", "write closed months into an empty directory, as CSV with a manifest; nothing is deleted",
		cobra.ExactArgs(1), func(ctx context.Context, a *admin.Admin, args []string) (_ any, err error) {
			first, err := month("from", from)
			if err != nil {
				return nil, err
			}
			last, err := month("until", until)
			if err != nil {
				return nil, err
			}
			books, done, err := p.withReplica(a.Store)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, done()) }()
			return (&archive.Archive{Store: books, Told: p.Now.At}).Write(ctx, args[0], first, last)
		})
	c.Flags().StringVar(&from, "from", "", "the first month, as 2026-10; default: the oldest there is")
	c.Flags().StringVar(&until, "until", "", "the last month; default: the last one that is over")
	return c
}

func (p *commands) archiveVerifyCommand() *cobra.Command {
	var filesOnly bool
	c := &cobra.Command{Use: "verify DIR [--files-only]", Short: "read an archive again, and compare it with its manifest and with the books",
		Args: cobra.ExactArgs(1)}
	c.Flags().BoolVar(&filesOnly, "files-only", false, "compare with the manifest alone, without a database")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !filesOnly {
			return p.act(c, args, func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
				return (&archive.Archive{Store: a.Store, Told: p.Now.At}).Verify(ctx, args[0])
			})
		}
		defer p.Doing(c)()
		found, err := (&archive.Archive{Told: p.Now.At}).Verify(c.Context(), args[0])
		if err != nil {
			return err
		}
		return p.Print(found)
	}
	return c
}

// month reads a month of a flag; the zero time is none.
func month(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := archive.ParseMonth(text)
	if err != nil {
		return at, command.Usagef("--%s: %v", flag, err)
	}
	return at, nil
}

// withReplica returns a store on the replica of the settings, if there is one, and the function to close it.
func (p *commands) withReplica(s *store.Store) (*store.Store, func() error, error) {
	set, err := p.Settings()
	if err != nil {
		return nil, nil, err
	}
	db, err := connect.Replica(set, migrations.OperatorRole, 1)
	if err != nil || db == nil {
		return s, func() error { return nil }, err
	}
	return s.WithReplica(store.NewReplica(db, func(failure error) {
		if failure != nil {
			p.Tell("the replica is passed over: " + failure.Error())
		}
	})), db.Close, nil
}
