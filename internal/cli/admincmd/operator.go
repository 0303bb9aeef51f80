package admincmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) operatorCommands() *cobra.Command {
	list := p.adminAction("list", "list the operators", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Operators(ctx) })
	enable := p.operatorAction("enable NAME", "let a disabled operator log in again",
		func(ctx context.Context, a *admin.Admin, name string) (any, error) {
			return a.EnableOperator(ctx, name)
		})
	unlock := p.operatorAction("unlock NAME", "unlock an operator who was locked after 50 wrong codes",
		func(ctx context.Context, a *admin.Admin, name string) (any, error) {
			return a.UnlockOperator(ctx, name)
		})
	disable := p.operatorAction("disable NAME", "disable an operator and log them out", func(ctx context.Context, a *admin.Admin, name string) (any, error) {
		return a.DisableOperator(ctx, name)
	})
	password := p.operatorAction("password NAME", "set an operator's password, read from standard input",
		func(ctx context.Context, a *admin.Admin, name string) (any, error) {
			if _, err := a.Operator(ctx, name); err != nil {
				return nil, err
			}
			given, err := p.password()
			if err != nil {
				return nil, err
			}
			return a.SetOperatorPassword(ctx, name, given)
		})
	return command.Group("operator", "the people who use the console", p.operatorCreate(), list, disable, enable, unlock, password, p.operatorRole(),
		p.operatorTOTP())
}

// operatorAction is a command on one operator.
func (p *commands) operatorAction(use, short string, do func(context.Context, *admin.Admin, string) (any, error)) *cobra.Command {
	return p.adminAction(use, short, cobra.ExactArgs(1), func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
		return do(ctx, a, args[0])
	})
}

func (p *commands) operatorCreate() *cobra.Command {
	var role string
	c := p.operatorAction("create NAME", "create an operator of the console; the password is read from standard input",
		func(ctx context.Context, a *admin.Admin, name string) (any, error) {
			if err := admin.CheckOperator(name, role); err != nil {
				return nil, err
			}
			given, err := p.password()
			if err != nil {
				return nil, err
			}
			return a.CreateOperator(ctx, name, role, given)
		})
	c.Flags().StringVar(&role, "role", admin.RoleViewer, "role: "+strings.Join(admin.Roles, ", "))
	return c
}

func (p *commands) operatorRole() *cobra.Command {
	return p.adminAction("role NAME ROLE", "change an operator's role: "+strings.Join(admin.Roles, ", "), cobra.ExactArgs(2),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.SetOperatorRole(ctx, args[0], args[1])
		})
}

func (p *commands) operatorTOTP() *cobra.Command {
	var code string
	var drop bool
	c := p.sealing("totp NAME", "offer a secret for an authenticator app; --code takes it into use, --drop takes it off", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			switch {
			case drop:
				return a.DropTOTP(ctx, args[0])
			case code != "":
				return a.ConfirmTOTP(ctx, args[0], code)
			default:
				return a.OfferTOTP(ctx, args[0])
			}
		}, &drop)
	c.Flags().StringVar(&code, "code", "", "the first code from the app")
	c.Flags().BoolVar(&drop, "drop", false, "remove the code, for a lost device: the password alone is enough again")
	c.MarkFlagsMutuallyExclusive("code", "drop")
	return c
}

// longestLine is how much of standard input is read for a password.
const longestLine = 4096

// password reads one line of standard input.
func (p *commands) password() (string, error) {
	p.Now.End() // somebody may be typing
	line, err := bufio.NewReader(io.LimitReader(p.Stdin, longestLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("no password on standard input: printf '%s\\n' \"$PASSWORD\" | causeway admin operator …")
	}
	return line, nil
}
