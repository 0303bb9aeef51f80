package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/ops/admin"
)

// usageError is a senseless command line.
type usageError struct{ why string }

func (e usageError) Error() string { return e.why }

// Usagef is an error about the command line: its exit code is ExitUsage.
func Usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// Group is a command with nothing but commands under it.
func Group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return Usagef("%s needs a command: %s", c.CommandPath(), strings.Join(names, ", "))
	}}
	c.AddCommand(subs...)
	return c
}

// FieldsOf reads name=value arguments.
func FieldsOf(args []string) (admin.Fields, error) {
	out := make(admin.Fields, len(args))
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if _, twice := out[name]; !ok || name == "" || twice {
			return nil, Usagef("%q is not NAME=VALUE, with each name given once", arg)
		}
		out[name] = value
	}
	return out, nil
}

// IDOf reads an id of ours; an unreadable one does not exist.
func IDOf(what, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, errors.New("there is no " + what + " " + text)
	}
	return id, nil
}

// Need marks the required flags of a command.
func Need(c *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // a flag unknown to the command
		}
	}
	return c
}

// helpOnWhatThereIs lets help refuse everything but commands and topics.
func helpOnWhatThereIs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.RunE = func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			switch {
			case err == nil && len(rest) > 0 && of.HasSubCommands():
				return Usagef("there is no help on %q, %ssee %s --help", strings.Join(args, " "), meant(of, rest[0], ""), of.CommandPath())
			case err != nil || len(rest) > 0:
				return Usagef("there is no help on %q, see %s --help", strings.Join(args, " "), c.Root().Name())
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		}
	}
}
