package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// farthest is how many letters a word may differ from the one meant.
const farthest = 2

// unknownCommand is the error about a word after a group without such a command.
func unknownCommand(group *cobra.Command, word string) error {
	return Usagef("unknown command %q for %q, %ssee %s --help", word, group.CommandPath(), meant(group, word, ""), group.CommandPath())
}

// unknownFlag is the error about a word with dashes, not a flag of the command. Without a suggestion it names the word alone.
func unknownFlag(c *cobra.Command, word string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return Usagef("unknown flag: %s%s", word, strings.TrimSuffix(", "+meant(flagsAsCommands(c), name, "--"), ", "))
}

// flagsAsCommands lets the library suggest flags: it suggests commands only.
func flagsAsCommands(c *cobra.Command) *cobra.Command {
	out := &cobra.Command{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			out.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	return out
}

// meant asks whether one of the commands of a group was meant by a word; "" where none is like it.
func meant(group *cobra.Command, word, dashes string) string {
	group.SuggestionsMinimumDistance = farthest
	like := group.SuggestionsFor(word)
	if len(like) == 0 || word == "" {
		return ""
	}
	for i := range like {
		like[i] = dashes + like[i]
	}
	return "did you mean " + listed(like, "or") + "? "
}
