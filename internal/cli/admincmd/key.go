package admincmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

func (p *commands) keyCommands() *cobra.Command {
	revoke := p.adminAction("revoke KEY_ID", "revoke a key at once", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.RevokeKey(ctx, args[0])
		})
	drop := p.adminAction("drop-secret KEY_ID", "remove the signing secret of a key", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.DropKeySecret(ctx, args[0])
		})
	return command.Group("key", "create, list and revoke API keys", p.keyCreate(), p.keyList(), revoke, drop)
}

// keyFlags are the flags of `key create` in need of further reading.
type keyFlags struct{ merchant, scopes, ips, rate, expires string }

func (p *commands) keyCreate() *cobra.Command {
	var (
		n admin.NewKey
		f keyFlags
		c *cobra.Command
	)
	c = p.sealing("create", "make an API key; it and its signing secret are shown once", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
			if c.Flags().Changed("scopes") {
				n.Scopes = append([]string{}, settings.Commas(f.scopes)...)
			}
			if c.Flags().Changed("ips") {
				n.IPs = append([]string{}, settings.Commas(f.ips)...)
			}
			if err := f.read(&n); err != nil {
				return nil, err
			}
			return a.CreateKey(ctx, n)
		})
	flags := c.Flags()
	flags.StringVar(&f.merchant, "merchant", "", "id of the merchant")
	flags.StringVar(&f.scopes, "scopes", "", "scopes, separated by commas (default all): "+strings.Join(pay.Scopes, ", "))
	flags.BoolVar(&n.Legacy, "legacy", false, "a key from before scopes existed, which can only read")
	flags.StringVar(&f.ips, "ips", "", "allowed IP addresses and CIDRs, separated by commas (default any)")
	flags.BoolVar(&n.Sign, "sign", false, "its requests must be signed")
	flags.StringVar(&n.DailyLimitUSD, "daily-limit-usd", "", "the most that the key can pay out in a day, in US dollars")
	flags.StringVar(&f.rate, "rate-limit", "", "its own quota, requests/seconds (default RATE_LIMIT)")
	flags.StringVar(&f.expires, "expires", "", "when the key expires, like 2027-01-01T00:00:00Z (default never)")
	c.MarkFlagsMutuallyExclusive("scopes", "legacy")
	return command.Need(c, "merchant")
}

func (f keyFlags) read(n *admin.NewKey) (err error) {
	if n.Merchant, err = command.IDOf("merchant", f.merchant); err != nil {
		return err
	}
	if f.rate != "" {
		parts, err := settings.Slashes(f.rate, 2)
		if err != nil || parts[0] == 0 || parts[1] == 0 {
			return command.Usagef("--rate-limit: %q is not requests/seconds, like 100/60", f.rate)
		}
		n.Requests, n.Seconds = parts[0], parts[1]
	}
	if f.expires != "" {
		at, err := time.Parse(time.RFC3339, f.expires)
		if err != nil {
			return command.Usagef("--expires: %q is not a time like 2027-01-01T00:00:00Z", f.expires)
		}
		n.Expires = &at
	}
	return nil
}
