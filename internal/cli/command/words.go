package command

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Errors of the command line library without a type of their own.
var (
	saysCount     = regexp.MustCompile(`arg\(s\), (?:only )?received \d+$`)
	saysNoneOf    = regexp.MustCompile(`^invalid argument "(.*)" for "`)
	saysRequired  = regexp.MustCompile(`^required flag\(s\) "(.+)" not set$`)
	saysOneOf     = regexp.MustCompile(`^at least one of the flags in the group \[(.+)\] is required$`)
	saysExclusive = regexp.MustCompile(`^if any flags in the group \[(.+)\] are set none of the others can be; \[(.+)\] were all set$`)
)

// inOurWords rewrites the library's error about a command line with the names from --help. An error of ours stays as it is.
func inOurWords(c *cobra.Command, err error) error {
	var (
		value   *pflag.InvalidValueError
		bare    *pflag.ValueRequiredError
		unknown *pflag.NotExistError
	)
	switch {
	case errors.As(err, &value):
		return Usagef("--%s: %s", value.GetFlag().Name, misfit(value))
	case errors.As(err, &bare):
		return Usagef("--%s needs a value", bare.GetSpecifiedName())
	case errors.As(err, &unknown) && c.HasSubCommands() && len(c.Flags().Args()) > 0:
		return unknownCommand(c, c.Flags().Args()[0]) // a group cannot know the flags of this command
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return unknownFlag(c, "--"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return noShorthand(c, "-"+unknown.GetSpecifiedShortnames())
	case saysCount.MatchString(err.Error()), strings.HasPrefix(err.Error(), "unknown command ") && !c.HasSubCommands():
		return miscounted(c)
	}
	if part := saysNoneOf.FindStringSubmatch(err.Error()); part != nil {
		return Usagef("%q is not %s", part[1], listed(c.ValidArgs, "or"))
	}
	if part := saysRequired.FindStringSubmatch(err.Error()); part != nil {
		return missing(c, dashed(strings.Split(part[1], `", "`)), "and")
	}
	if part := saysOneOf.FindStringSubmatch(err.Error()); part != nil {
		return missing(c, dashed(strings.Fields(part[1])), "or")
	}
	if part := saysExclusive.FindStringSubmatch(err.Error()); part != nil {
		said := strings.Fields(part[2])
		inOrder := slices.DeleteFunc(strings.Fields(part[1]), func(name string) bool { return !slices.Contains(said, name) })
		return Usagef("%s cannot be used together", listed(dashed(inOrder), "and"))
	}
	return err
}

// misfit explains why a flag cannot have a value. A flag made by Read explains it itself.
func misfit(e *pflag.InvalidValueError) string {
	text := strconv.Quote(e.GetValue())
	var number *strconv.NumError
	switch kind := e.GetFlag().Value.Type(); {
	case kind == "bool":
		return text + " is not true or false"
	case kind == "duration":
		return text + " is not a time like 2m"
	case kind == "stringSlice":
		return text + " is no list by commas"
	case errors.Is(e, strconv.ErrRange):
		return text + " is too large"
	case errors.As(e, &number):
		return text + " is not a whole number"
	default:
		return e.Unwrap().Error()
	}
}

// noShorthand is the error about a word with one dash: a number below zero in the place of a number, else an unknown flag.
func noShorthand(c *cobra.Command, word string) error {
	names, before := argumentsOf(c), len(c.Flags().Args())
	if before < len(names) && (names[before] == "AMOUNT" || names[before] == "PRICE") && strings.ContainsAny(word[1:2], "0123456789") {
		return Usagef("%q is not a plain number like 1.5", word)
	}
	return unknownFlag(c, word)
}

// miscounted names the missing arguments of a command, or the first one too many.
func miscounted(c *cobra.Command) error {
	names, args := argumentsOf(c), c.Flags().Args()
	if len(args) < len(names) {
		return missing(c, names[len(args):], "and")
	}
	return Usagef("unexpected argument %q, see %s --help", args[len(names)], c.CommandPath())
}

// notArguments are the other parts of a line of use: optional ones, flags with their values, and another form.
var notArguments = regexp.MustCompile(`\[[^\]]*\]|--[a-z-]+ [^ ]+| \| .*`)

// argumentsOf names the arguments of a command, as its line of use does.
func argumentsOf(c *cobra.Command) []string {
	words := strings.Fields(notArguments.ReplaceAllString(c.Use, ""))[1:]
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "…")
	}
	return words
}

func missing(c *cobra.Command, names []string, last string) error {
	are := "is"
	if len(names) > 1 && last == "and" {
		are = "are"
	}
	return Usagef("%s %s missing, see %s --help", listed(names, last), are, c.CommandPath())
}

func dashed(flags []string) []string {
	out := make([]string, len(flags))
	for i, name := range flags {
		out[i] = "--" + name
	}
	return out
}

// listed writes names with commas, and the word before the last.
func listed(names []string, last string) string {
	n := len(names) - 1
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}
