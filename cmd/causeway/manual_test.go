package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/manual"
	"causeway/internal/cli/settings"
)

// everyCommand returns a tree of commands, groups included, with the topics of its help.
func everyCommand(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.Name() != "help" {
			out = append(out, everyCommand(sub)...)
		}
	}
	return out
}

// Covers operator §operator: the contract with whoever runs the service: Every command has --help
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	manual := manual.Read()
	commands := everyCommand(newProgram(nil, io.Discard, io.Discard).root())
	for _, c := range commands {
		path := c.CommandPath()
		if c.Short == "" || c.Long == "" {
			t.Errorf("%s: short %q, long %q", path, c.Short, c.Long)
		}
		if len(examplesOf(c)) == 0 && !c.IsAdditionalHelpTopicCommand() {
			t.Errorf("%s has no example", path)
		}
		delete(manual, path)
	}
	for path := range manual {
		t.Errorf("the manual explains %q, which there is not", path)
	}
	if len(commands) < 80 {
		t.Errorf("only %d commands were found", len(commands))
	}
}

// Every example is a command line fit for its command: the flags are there, with values of their type, the needed ones
// among them, and the number of arguments is right.
func TestExamplesMakeSense(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand(newProgram(nil, io.Discard, io.Discard).root()) {
		for _, example := range examplesOf(c) {
			if why := misused(c, example); why != "" {
				t.Errorf("%s: %q: %s", c.CommandPath(), example, why)
			}
		}
	}
}

func TestWrongExamplesAreFound(t *testing.T) {
	t.Parallel()
	create, _, err := newProgram(nil, io.Discard, io.Discard).root().Find([]string{"admin", "merchant", "create"})
	require.NoError(t, err)
	for _, example := range []string{
		"causeway admin merchant create",
		"causeway admin merchant create --name Shop further",
		"causeway admin merchant create --name Shop --verified=perhaps",
		"causeway admin merchant create --name Shop --nonsense",
		"causeway admin merchant show 1",
		"causeway admin merchant nonsense",
		"nonsense",
	} {
		require.NotEmpty(t, misused(create, example), example)
	}
	require.Empty(t, misused(create, `causeway admin merchant create --name "A Shop"`))
}

func examplesOf(c *cobra.Command) (out []string) {
	for line := range strings.Lines(c.Example) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// exampleForm is a command line of ours, after settings or a source of its input, before a use of its output.
var (
	exampleForm = regexp.MustCompile(`^(?:[A-Z_]+=\S+ |printf .* \| )*causeway( [^>|]*)?(?:(?:>|\|).*)?$`)
	wordForm    = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
)

// misused explains the mistake in an example of c, or of a group c; "" when it could be run.
func misused(c *cobra.Command, example string) string {
	found := exampleForm.FindStringSubmatch(example)
	if found == nil {
		return "not a command line of ours"
	}
	words := wordForm.FindAllString(found[1], -1)
	for i := range words {
		words[i] = strings.NewReplacer(`"`, "", "'", "").Replace(words[i])
	}
	shown, rest, err := newProgram(nil, io.Discard, io.Discard).root().Find(words)
	if err != nil {
		return err.Error()
	}
	if path := shown.CommandPath() + " "; !strings.HasPrefix(path, c.CommandPath()+" ") && !c.IsAdditionalHelpTopicCommand() && !c.HasSubCommands() {
		return "it is an example of " + path
	}
	if shown.HasSubCommands() && shown.HasParent() {
		return shown.CommandPath() + " is no command"
	}
	if err := shown.ParseFlags(rest); err != nil {
		return err.Error()
	}
	for _, check := range []error{shown.ValidateArgs(shown.Flags().Args()), shown.ValidateRequiredFlags(), shown.ValidateFlagGroups()} {
		if check != nil {
			return check.Error()
		}
	}
	return ""
}

// Covers operator §Help: causeway man DIR
// Covers operator §Help: man writes a manual page
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "share", "man1") // the command makes it
	code, stdout, stderr := call(t, "man", dir)
	require.Equal(t, command.ExitOK, code, stderr)
	require.Empty(t, stdout)
	for _, c := range everyCommand(newProgram(nil, io.Discard, io.Discard).root()) {
		if c.IsAdditionalHelpTopicCommand() {
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		require.NoError(t, err)
		require.Contains(t, string(page), ".SH EXAMPLE", c.CommandPath())
	}
	code, _, stderr = call(t, "man", filepath.Join(dir, "causeway.1", "below"))
	require.Equal(t, command.ExitFailed, code)
	require.Contains(t, stderr, "causeway.1: not a directory")
}

// Covers operator §Help: --help of every command
func TestTopics(t *testing.T) {
	t.Parallel()
	code, stdout, _ := call(t, "help", "settings")
	require.Equal(t, command.ExitOK, code)
	for _, s := range (&settings.Settings{}).Show() {
		require.Contains(t, stdout, s.Name+"\n    "+s.Meaning)
	}
	code, stdout, _ = call(t, "help", "exit-codes")
	require.Equal(t, command.ExitOK, code)
	for _, exit := range []string{"0  done", "1  refused", "2  the command line"} {
		require.Contains(t, stdout, exit)
	}
	_, stdout, _ = call(t, "--help")
	for _, topic := range []string{"causeway settings", "causeway exit-codes"} {
		require.True(t, slices.ContainsFunc(strings.Split(stdout, "\n"),
			func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), topic) }), topic)
	}
}
