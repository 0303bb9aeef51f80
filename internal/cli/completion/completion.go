// Package completion gives a shell the possible words of a command line.
package completion

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/chains/sandbox"
	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// Shells are the shells with completions.
var Shells = []string{"bash", "zsh", "fish"}

// Command prints the script for a shell.
func Command(l *command.Line) *cobra.Command {
	return &cobra.Command{Use: "completion " + strings.Join(Shells, "|"), Short: "print the script that completes commands in a shell",
		Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), ValidArgs: Shells,
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return c.Root().GenBashCompletionV2(l.Stdout, true)
			case "zsh":
				return c.Root().GenZshCompletion(l.Stdout)
			default:
				return c.Root().GenFishCompletion(l.Stdout, true)
			}
		}}
}

// names returns the possible words at a place, given the arguments before it. It asks no database.
type names func(args []string) []string

func oneOf(list ...string) names { return func([]string) []string { return list } }

// flagNames are the values of flags, by the flag's name: each means the same on every command not in pathNames.
var flagNames = map[string]names{
	"network": networkNames,
	"token":   tokenNames,
	"asset":   tokenNames,
	"role":    oneOf(admin.Roles...),
	"per":     oneOf("payout", "hour", "day"),
	"status":  oneOf(pay.DeliveryStatuses...),
	"mode":    oneOf(pay.WalletsGlobal, pay.WalletsPerType),
}

// pathNames are the values of flags with another meaning on one command, by path and the flag's name.
var pathNames = map[string]names{
	"causeway admin payin list --status":  oneOf(pay.PayinStatuses...),
	"causeway admin payout list --status": oneOf(append([]string{"pending"}, pay.PayoutStatuses...)...),
}

// listNames are the values of flags for several values, by commas.
var listNames = map[string]names{"scopes": oneOf(pay.Scopes...), "queues": queueNames}

// fileFlags take the name of a file, dirFlags the name of a directory.
var (
	fileFlags = []string{"out", "passphrase-file", "words-file"}
	dirFlags  = []string{"data-dir"}
)

// argumentNames are the arguments of commands, by path.
var argumentNames = map[string]names{
	"causeway sandbox faults set":          oneOf(faults()...),
	"causeway admin asset stop":            func(args []string) []string { return firstOf(args, tokenNames(nil)...) },
	"causeway admin asset resume":          func(args []string) []string { return firstOf(args, tokenNames(nil)...) },
	"causeway admin network prepare":       func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin network resume":        func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin wallet resume":         func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin wallet forget":         func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin wallet dismiss":        func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin wallet book":           func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin wallet assign":         func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin operator role":         func(args []string) []string { return secondOf(args, admin.Roles...) },
	"causeway admin token set":             tokenSetNames,
	"causeway admin treasury rules set":    ruleSetNames,
	"causeway admin treasury rules remove": networkAndToken,
	"causeway admin treasury cold":         networkAndToken,
	"causeway admin treasury sweep":        func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin treasury confirm":      func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin treasury addresses":    func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin token add":             func(args []string) []string { return firstOf(args, networkNames(nil)...) },
	"causeway admin rates set":             oneOf(assignments(admin.RateFields())...),
	"causeway admin fiat set":              func(args []string) []string { return secondOf(args, "accepted=true", "accepted=false") },
	"causeway admin fixed-wallets set":     oneOf(assignments(admin.WalletTypes())...),
}

// faults returns each fault with each of its words; one without words is followed by a number.
func faults() (out []string) {
	for _, f := range sandbox.AllFaults {
		if len(f.Words) == 0 {
			out = append(out, f.Name+"=")
		}
		for _, word := range f.Words {
			out = append(out, f.Name+"="+word)
		}
	}
	return out
}

func firstOf(args []string, list ...string) []string  { return at(0, args, list) }
func secondOf(args []string, list ...string) []string { return at(1, args, list) }

func at(place int, args, list []string) []string {
	if len(args) != place {
		return nil
	}
	return list
}

func networkNames([]string) (out []string) {
	for i := range pay.Networks {
		out = append(out, pay.Networks[i].Name)
	}
	return out
}

// tokenNames are the coins of the networks and the stablecoins; the catalogue in the database may have more.
func tokenNames([]string) []string {
	out := []string{"USDC", "USDT"}
	for i := range pay.Networks {
		if !slices.Contains(out, pay.Networks[i].Coin) {
			out = append(out, pay.Networks[i].Coin)
		}
	}
	slices.Sort(out)
	return out
}

func queueNames([]string) []string { return tasks.QueueNames() }

// tokenSetNames are SYMBOL NETWORK NAME=VALUE….
func tokenSetNames(args []string) []string {
	switch len(args) {
	case 0:
		return tokenNames(nil)
	case 1:
		return networkNames(nil)
	default:
		return assignments(admin.TokenFields())
	}
}

// networkAndToken are NETWORK TOKEN.
func networkAndToken(args []string) []string {
	switch len(args) {
	case 0:
		return networkNames(nil)
	case 1:
		return tokenNames(nil)
	default:
		return nil
	}
}

// ruleSetNames are NETWORK TOKEN NAME=VALUE….
func ruleSetNames(args []string) []string {
	if len(args) < 2 {
		return networkAndToken(args)
	}
	return assignments(admin.RuleFields())
}

func assignments(fields []string) (out []string) {
	for _, name := range fields {
		out = append(out, name+"=")
	}
	return out
}

// Asked reports whether a shell asks for possible words.
func Asked(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Complete gives a shell the possible words of a command and of all under it: known ones only, and files only for
// flags of files. First has the first arguments of further commands, by path.
func Complete(c *cobra.Command, first map[string][]string) {
	known, ok := argumentNames[c.CommandPath()]
	if list, has := first[c.CommandPath()]; has {
		known, ok = func(args []string) []string { return firstOf(args, list...) }, true
	}
	if ok {
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return offer(known(args), word)
		}
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { completeFlag(c, f.Name) })
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { completeFlag(c, f.Name) })
	for _, sub := range c.Commands() {
		Complete(sub, first)
	}
}

func completeFlag(c *cobra.Command, name string) {
	switch {
	case slices.Contains(dirFlags, name):
		_ = c.MarkFlagDirname(name)
	case slices.Contains(fileFlags, name):
		_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		})
	default:
		_ = c.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if list, ok := listNames[name]; ok {
				return offerNext(list(args), word)
			}
			known, ok := pathNames[c.CommandPath()+" --"+name]
			if !ok {
				known, ok = flagNames[name]
			}
			if ok {
				return offer(known(args), word)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// offer returns the names beginning with a word. After a name ending in = no space follows.
func offer(list []string, word string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	var out []string
	for _, name := range list {
		if strings.HasPrefix(name, word) {
			out = append(out, name)
		}
	}
	if len(out) > 0 && strings.HasSuffix(out[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return out, directive
}

// offerNext keeps the text before the last comma, and returns the names not yet in it.
func offerNext(list []string, word string) ([]string, cobra.ShellCompDirective) {
	before := word[:strings.LastIndexByte(word, ',')+1]
	var out []string
	for _, name := range list {
		if !slices.Contains(strings.Split(before, ","), name) {
			out = append(out, before+name)
		}
	}
	found, directive := offer(out, word)
	return found, directive | cobra.ShellCompDirectiveNoSpace
}
