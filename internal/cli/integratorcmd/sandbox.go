package integratorcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/uptrace/bun"

	"causeway/chains/sandbox"
	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Sandbox acts on the simulated networks.
func Sandbox(l *command.Line) *cobra.Command {
	p := &commands{l}
	return command.Group("sandbox", "act on the simulated networks",
		p.sandboxPay(), p.sandboxMine(), p.sandboxReorg(), p.sandboxFaults(), p.sandboxShow())
}

// sandboxAction is a command on one simulated network, named by --network.
func (p *commands) sandboxAction(use, short string, args cobra.PositionalArgs,
	do func(ctx context.Context, o sandbox.Operator, network string, args []string) (any, error)) *cobra.Command {
	var network string
	c := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		s, err := p.Settings("DATABASE_URL")
		if err != nil {
			return err
		}
		n, ok := pay.NetworkCalled(network)
		if !ok {
			return fmt.Errorf("there is no network %q", network)
		}
		if err := s.MustBeSandbox(n.Name); err != nil {
			return err
		}
		defer p.Doing(c)()
		db, err := connect.Schema(c.Context(), s, connect.PoolSize)
		if err != nil {
			return err
		}
		if err := simulates(c.Context(), db); err != nil {
			return errors.Join(err, db.Close())
		}
		result, err := do(c.Context(), sandbox.Operator{DB: db}, n.Name, args)
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
		return p.Print(result)
	}}
	c.Flags().StringVar(&network, "network", "", "name of the network")
	return command.Need(c, "network")
}

// simulates refuses live books: they have no simulated network.
func simulates(ctx context.Context, db *bun.DB) error {
	kind, err := store.New(db).Books(ctx)
	if err == nil && kind == store.LiveBooks {
		err = errors.New("these are live books: causeway --sandbox acts on the sandbox beside them")
	}
	return err
}

func (p *commands) sandboxPay() *cobra.Command {
	var payment sandbox.Payment
	c := p.sandboxAction("pay", "pay an address from outside", cobra.NoArgs,
		func(ctx context.Context, o sandbox.Operator, network string, _ []string) (any, error) {
			payment.Network = network
			txid, err := o.Pay(ctx, payment)
			return map[string]string{"txid": txid}, err
		})
	c.Flags().StringVar(&payment.Token, "token", "", "symbol of the token")
	c.Flags().StringVar(&payment.To, "to", "", "address to pay")
	command.Amount(c.Flags(), &payment.Amount, "amount", "amount in the token")
	c.Flags().StringVar(&payment.Memo, "memo", "", "destination memo")
	command.Read(c.Flags(), &payment.Txid, "txid", "txid to use instead of a new one", sandbox.ReadTxid)
	return command.Need(c, "token", "to", "amount")
}

// mostBlocks is how many blocks one command can be about: its network does nothing else meanwhile.
const mostBlocks = 100_000

// newHeight is the result of mining.
type newHeight struct {
	Network string `json:"network"`
	Height  int64  `json:"height"`
}

func (p *commands) sandboxMine() *cobra.Command {
	blocks := 1
	c := p.sandboxAction("mine", "add blocks now", cobra.NoArgs,
		func(ctx context.Context, o sandbox.Operator, network string, _ []string) (any, error) {
			height, err := o.Mine(ctx, network, blocks)
			return newHeight{network, height}, err
		})
	command.Whole(c.Flags(), &blocks, "blocks", 1, mostBlocks, "how many")
	return c
}

func (p *commands) sandboxReorg() *cobra.Command {
	var (
		depth int
		drop  []string
	)
	c := p.sandboxAction("reorg --network N --depth D [--drop TXID …]", "replace the newest blocks; transactions are mined again or dropped",
		func(_ *cobra.Command, args []string) error {
			if len(drop) == 0 && len(args) > 0 {
				return command.Usagef("%q: transactions follow --drop", args[0])
			}
			return nil
		},
		func(ctx context.Context, o sandbox.Operator, network string, args []string) (any, error) {
			height, err := o.Reorg(ctx, network, depth, append(drop, args...)...)
			return newHeight{network, height}, err
		})
	command.Whole(c.Flags(), &depth, "depth", 1, mostBlocks, "how many blocks")
	c.Flags().StringSliceVar(&drop, "drop", nil, "txids that vanish instead of being mined again")
	return command.Need(c, "depth")
}

// newFaults are the faults of a network from now on.
type newFaults struct {
	Network string         `json:"network"`
	Faults  sandbox.Faults `json:"faults"`
}

// knownFaults refuses arguments other than faults.
func knownFaults(_ *cobra.Command, args []string) error {
	fields, err := command.FieldsOf(args)
	if err != nil {
		return err
	}
	return sandbox.CheckFaults(fields)
}

// faultsText tells the faults of a network and their words.
func faultsText() string {
	var out []string
	for _, f := range sandbox.AllFaults {
		values := "PERCENT"
		if len(f.Words) > 0 {
			values = strings.Join(f.Words, "|")
		}
		out = append(out, f.Name+"="+values)
	}
	return strings.Join(out, " ")
}

func (p *commands) sandboxFaults() *cobra.Command {
	set := p.sandboxAction("set --network N NAME=VALUE…",
		faultsText(), cobra.MatchAll(cobra.MinimumNArgs(1), knownFaults),
		func(ctx context.Context, o sandbox.Operator, network string, args []string) (any, error) {
			fields, err := command.FieldsOf(args)
			if err != nil {
				return nil, err
			}
			faults, err := o.SetFaults(ctx, network, fields)
			return newFaults{network, faults}, err
		})
	end := p.sandboxAction("clear --network N", "end all faults of a network", cobra.NoArgs,
		func(ctx context.Context, o sandbox.Operator, network string, _ []string) (any, error) {
			faults, err := o.ClearFaults(ctx, network)
			return newFaults{network, faults}, err
		})
	return command.Group("faults", "make a network fail", set, end)
}

func (p *commands) sandboxShow() *cobra.Command {
	var f sandbox.Filter
	c := p.sandboxAction("show", "show the height and the transactions, including the mempool", cobra.NoArgs,
		func(ctx context.Context, o sandbox.Operator, network string, _ []string) (any, error) {
			return o.Show(ctx, network, f)
		})
	c.Flags().StringVar(&f.Address, "address", "", "only those of this address")
	c.Flags().StringVar(&f.Txid, "txid", "", "only this one")
	c.MarkFlagsMutuallyExclusive("address", "txid")
	return c
}
