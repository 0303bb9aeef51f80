package admincmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) merchantCommands() *cobra.Command {
	show := p.adminAction("show ID", "show a merchant with its rates, keys and balances", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			return a.Merchant(ctx, id)
		})
	return command.Group("merchant", "create, change and show merchants", p.merchantCreate(), p.merchantUpdate(), p.merchantRotate(),
		p.merchantList(), show, p.personInvite(), p.personList(), p.personRole(), p.personRemove(), p.personUnlock(),
		p.personReset(), p.personTrust())
}

func (p *commands) merchantCreate() *cobra.Command {
	var n admin.NewMerchant
	c := p.sealing("create", "make a merchant; its webhook secret is shown once", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.CreateMerchant(ctx, n) })
	c.Flags().StringVar(&n.Name, "name", "", "name of the merchant")
	c.Flags().StringVar(&n.Email, "email", "", "e-mail address")
	c.Flags().BoolVar(&n.Verified, "verified", true, "whether the e-mail address is verified")
	c.Flags().StringVar(&n.PreferredFiat, "preferred-fiat", "", "fiat code that amounts are converted to (USD when empty)")
	return command.Need(c, "name")
}

func (p *commands) merchantRotate() *cobra.Command {
	var finish, again, lost bool
	c := p.sealing("rotate-webhook-secret ID", "give a merchant a new webhook secret beside the one that it has", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			if finish {
				return a.FinishWebhookSecret(ctx, id)
			}
			return a.RotateWebhookSecret(ctx, id, again)
		}, &lost)
	c.Flags().BoolVar(&finish, "finish", false, "end the older secret; only the newer one signs from now on")
	c.Flags().BoolVar(&again, "again", false, "replace the newer secret, for instance when it was lost; the older one stays")
	c.Flags().BoolVar(&lost, "lost", false, "continue although the key that encrypts secrets in the database is lost")
	c.MarkFlagsMutuallyExclusive("finish", "again")
	c.MarkFlagsMutuallyExclusive("finish", "lost")
	return c
}

func (p *commands) merchantUpdate() *cobra.Command {
	var flags *pflag.FlagSet
	c := p.adminAction("update ID", "change a merchant", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			change, err := merchantChange(flags)
			if err != nil {
				return nil, err
			}
			return a.UpdateMerchant(ctx, id, change)
		})
	flags = c.Flags()
	flags.String("name", "", "name")
	flags.String("email", "", "e-mail address")
	flags.Bool("verified", true, "whether the e-mail address is verified")
	flags.Bool("suspended", false, "whether every key of the merchant is refused")
	flags.Bool("api-access", true, "whether the merchant may use the API")
	flags.String("minimum-payment", "", `percent of a payin that completes it; "" is 100`)
	flags.Int("inactivity-days", 0, "days without a transfer after which a fixed wallet's revocation is announced; 0 is never")
	flags.Int("revoke-notice-days", 0, "days between announcement and revocation; 0 is at once")
	flags.Bool("payment-updated", true, "whether the webhook payment_updated is sent")
	flags.String("late-grace", "24h", `how long after a payin's expiry its quote holds for late money; "" is for ever`)
	flags.String("late-bound", "5", `percent that the price may move until then; "" is any`)
	flags.String("preferred-fiat", "", `fiat code that amounts are converted to; "" is USD`)
	return c
}

// merchantChange reads the flags given on the command line.
func merchantChange(flags *pflag.FlagSet) (admin.MerchantChange, error) {
	c := admin.MerchantChange{
		Name: given(flags, "name", flags.GetString), Email: given(flags, "email", flags.GetString),
		PreferredFiat: given(flags, "preferred-fiat", flags.GetString), MinimumPayment: given(flags, "minimum-payment", flags.GetString),
		Suspended: given(flags, "suspended", flags.GetBool), APIAccess: given(flags, "api-access", flags.GetBool),
		Verified: given(flags, "verified", flags.GetBool), InactivityDays: given(flags, "inactivity-days", flags.GetInt),
		RevokeNoticeDays: given(flags, "revoke-notice-days", flags.GetInt), PaymentUpdated: given(flags, "payment-updated", flags.GetBool),
		LateGrace: given(flags, "late-grace", flags.GetString), LateBound: given(flags, "late-bound", flags.GetString),
	}
	if c == (admin.MerchantChange{}) {
		return c, command.Usagef("nothing to change: give at least one flag")
	}
	return c, nil
}

// given returns a flag's value when it was set, else nil.
func given[T any](flags *pflag.FlagSet, name string, get func(string) (T, error)) *T {
	if !flags.Changed(name) {
		return nil
	}
	v, err := get(name)
	if err != nil {
		panic(err) // a flag of another type
	}
	return &v
}
