package admincmd

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// personAction is a command on a person, or on an e-mail address, of the merchant that --merchant names.
func (p *commands) personAction(use, short string, args cobra.PositionalArgs,
	do func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, args []string) (any, error)) *cobra.Command {
	var merchant string
	c := p.adminAction(use, short, args, func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
		id, err := command.IDOf("merchant", merchant)
		if err != nil {
			return nil, err
		}
		return do(ctx, a, id, args)
	})
	c.Flags().StringVar(&merchant, "merchant", "", "id of the merchant")
	return command.Need(c, "merchant")
}

func (p *commands) personInvite() *cobra.Command {
	var role string
	c := p.personAction("invite EMAIL", "make a link by which somebody uses the panel for a merchant; it works once, for three days", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, args []string) (any, error) {
			made, err := a.InvitePerson(ctx, merchant, args[0], role)
			if err != nil {
				return nil, err
			}
			s, err := p.Settings()
			if err == nil && s.PublicBaseURL != "" {
				made.Link = strings.TrimSuffix(string(s.PublicBaseURL), "/") + made.Path
			}
			return made, err
		})
	c.Flags().StringVar(&role, "role", people.Viewer, "role: "+strings.Join(people.Roles, ", "))
	return c
}

func (p *commands) personList() *cobra.Command {
	return p.personAction("people", "list the people of a merchant, and the invitations that are still good", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, _ []string) (any, error) {
			return a.People(ctx, merchant)
		})
}

func (p *commands) personRole() *cobra.Command {
	return p.personAction("role EMAIL ROLE", "change what a person may do for a merchant: "+strings.Join(people.Roles, ", "), cobra.ExactArgs(2),
		func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, args []string) (any, error) {
			if err := a.SetPersonRole(ctx, merchant, args[0], args[1]); err != nil {
				return nil, err
			}
			return a.People(ctx, merchant)
		})
}

func (p *commands) personRemove() *cobra.Command {
	return p.personAction("remove EMAIL", "end what a person, or an invitation, may do for a merchant", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, args []string) (any, error) {
			if err := a.RemovePersonOrInvitation(ctx, merchant, args[0]); err != nil {
				return nil, err
			}
			return a.People(ctx, merchant)
		})
}

func (p *commands) personUnlock() *cobra.Command {
	var drop bool
	c := p.adminAction("unlock EMAIL", "unlock a person who was locked after 50 wrong codes", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.UnlockPerson(ctx, args[0], drop)
		})
	c.Flags().BoolVar(&drop, "drop-code", false, "remove the login code and passkeys, for a lost device: the password alone is enough again")
	return c
}

func (p *commands) personReset() *cobra.Command {
	return p.adminAction("reset EMAIL", "make a link by which a person sets a new password and logs in without a code; it works once, for a day", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			made, err := a.ResetPerson(ctx, args[0])
			if err != nil {
				return nil, err
			}
			s, err := p.Settings()
			if err == nil && s.PublicBaseURL != "" {
				made.Link = strings.TrimSuffix(string(s.PublicBaseURL), "/") + made.Path
			}
			return made, err
		})
}

func (p *commands) personTrust() *cobra.Command {
	return p.personAction("trust EMAIL", "let a person move money with a login code that is younger than a day", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, merchant uuid.UUID, args []string) (any, error) {
			if err := a.TrustPerson(ctx, merchant, args[0]); err != nil {
				return nil, err
			}
			return a.People(ctx, merchant)
		})
}
