package admincmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
)

// addedToken is the answer of token add: the token, and the habits of its contract.
type addedToken struct {
	*admin.Token
	ContractSymbol string   `json:"contract_symbol"`
	Habits         []string `json:"habits"`
	Untried        string   `json:"untried,omitempty"`
}

func (p *commands) tokenAdd() *cobra.Command {
	var name, holder string
	add := p.serviceAction("add NETWORK CONTRACT [--as NAME] [--holder ADDRESS]", "watch a token from now on whose contract the catalogue does not have", 2,
		func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			return p.addToken(ctx, o, admin.NewToken{Network: args[0], Contract: args[1], Name: name}, holder)
		})
	add.Flags().StringVar(&name, "as", "", "name in the catalogue, which must be unique; without it, the command asks")
	add.Flags().StringVar(&holder, "holder", "", "address whose transfer is tested; without it, one is taken from the newest blocks")
	return add
}

// addToken looks at a contract, asks for the token's name unless it is given, and adds the token. Payouts are off for
// a token harmful to them.
func (p *commands) addToken(ctx context.Context, o *onchain.Operator, n admin.NewToken, holder string) (any, error) {
	facts, err := o.InspectToken(ctx, n.Network, n.Contract, holder)
	if err != nil {
		return nil, err
	}
	n.Contract, n.Decimals, n.Pays = facts.Contract, facts.Decimals, !facts.Harms
	out := &addedToken{ContractSymbol: facts.Symbol, Habits: facts.Habits, Untried: facts.Untried}
	a := o.Admin
	if n.Name == "" {
		if n.Name, err = p.tokenName(ctx, a, &n, out); err != nil {
			return nil, err
		}
	}
	if err := p.freeInSettings(&n); err != nil {
		return nil, err
	}
	out.Token, err = a.AddToken(ctx, n)
	return out, err
}

// tokenName shows the facts of a contract and asks for the token's name. An empty line takes the suggestion.
func (p *commands) tokenName(ctx context.Context, a *admin.Admin, n *admin.NewToken, facts *addedToken) (string, error) {
	suggested, err := a.SuggestName(ctx, facts.ContractSymbol, n.Network)
	if err != nil {
		return "", err
	}
	p.Now.End() // somebody may be typing
	fmt.Fprintf(p.Stderr, "%s on %s says: symbol %q, %d decimals\n", n.Contract, n.Network, facts.ContractSymbol, n.Decimals)
	for _, habit := range facts.Habits {
		fmt.Fprintln(p.Stderr, "-", habit)
	}
	if facts.Untried != "" {
		fmt.Fprintln(p.Stderr, "- not tried:", facts.Untried)
	}
	fmt.Fprintf(p.Stderr, "Its name here [%s]: ", suggested)
	line, err := bufio.NewReader(io.LimitReader(p.Stdin, longestLine)).ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && line == "":
		return "", errors.New("no name on standard input: give it with --as")
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return suggested, nil
	}
	return line, nil
}

// freeInSettings refuses a name given to another contract of the network in the networks file: processes would go by the file.
func (p *commands) freeInSettings(n *admin.NewToken) error {
	s, err := p.Settings()
	if err != nil {
		return err
	}
	file, err := s.ReadNetworks()
	if err != nil {
		return err
	}
	for _, c := range file.Live {
		for symbol, said := range c.Tokens {
			if c.Name == n.Network && strings.EqualFold(symbol, n.Name) && !strings.EqualFold(said.Contract, n.Contract) {
				return fmt.Errorf("%s is the contract %s in NETWORKS_FILE: choose another name for the token", symbol, said.Contract)
			}
		}
	}
	return nil
}
