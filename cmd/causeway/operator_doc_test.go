package main

import (
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/chains/evm"
	"causeway/internal/cli/settings"
)

// documentedCommand is one command line of a document.
type documentedCommand struct {
	line    string
	command *cobra.Command
	flags   []string
}

var (
	shownCommand = regexp.MustCompile("(?m)^(?: {4})?(?:bin/)?causeway [^\n]*(?:\n {20,}[^\n]*)*|`causeway [^`\n]*`")
	shownFlag    = regexp.MustCompile(`--([a-z][a-z-]*)`)
)

// documentedIn reads every command line of a document: in code blocks, where deeply indented lines go on, and between
// backticks.
func documentedIn(t *testing.T, path string, root *cobra.Command) (out []documentedCommand) {
	t.Helper()
	root.InitDefaultHelpCmd()
	text, err := os.ReadFile(path)
	must(t, err)
	for _, line := range shownCommand.FindAllString(string(text), -1) {
		line = strings.TrimPrefix(strings.Trim(strings.TrimSpace(line), "`"), "bin/")
		d := documentedCommand{line: line, command: root}
		for _, word := range strings.Fields(strings.Replace(line, "causeway --sandbox", "causeway", 1))[1:] {
			under := slices.IndexFunc(d.command.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
			if under < 0 {
				break
			}
			d.command = d.command.Commands()[under]
		}
		for _, flag := range shownFlag.FindAllStringSubmatch(line, -1) {
			d.flags = append(d.flags, flag[1])
		}
		out = append(out, d)
	}
	return out
}

// everywhere are the flags of all commands; the document names them once.
var everywhere = []string{"data-dir", "help", "quiet", "sandbox", "version"}

// Covers operator §Admin: causeway admin merchant create
// Covers operator §Sandbox networks: causeway sandbox pay
// Covers operator §dev: causeway dev [--data-dir
func TestOperatorDocumentHasEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	root := newProgram(nil, io.Discard, io.Discard).root()
	said := map[*cobra.Command][]string{}
	for _, d := range documentedIn(t, "../../docs/spec/operator.md", root) {
		said[d.command] = append(said[d.command], append(d.flags, "")...)
	}
	commands := 0
	for _, c := range leaves(root) {
		commands++
		if len(said[c]) == 0 {
			t.Errorf("%s is not documented", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(everywhere, f.Name) && !slices.Contains(said[c], f.Name) {
				t.Errorf("%s: --%s is not documented", c.CommandPath(), f.Name)
			}
		})
	}
	if commands < 40 {
		t.Errorf("only %d commands were found", commands)
	}
}

func TestDocumentsShowOnlyWhatThereIs(t *testing.T) {
	t.Parallel()
	root := newProgram(nil, io.Discard, io.Discard).root()
	for _, path := range []string{"README.md", "docs/spec/operator.md", "docs/architecture.md", "docs/production.md", "docs/runbook.md",
		"docs/first-contact.md", "docs/performance.md", "docs/performance-notes.md", "docs/hostile-input.md"} {
		for _, d := range documentedIn(t, "../../"+path, root) {
			words := strings.Fields(d.line)
			deep := len(strings.Fields(d.command.CommandPath()))
			if d.command.HasSubCommands() && len(words) > deep && regexp.MustCompile(`^[a-z]`).MatchString(words[deep]) {
				t.Errorf("%s: there is no command %q", path, d.line)
			}
			for _, flag := range d.flags {
				if !slices.Contains(everywhere, flag) && d.command.Flags().Lookup(flag) == nil {
					t.Errorf("%s: %q has no flag --%s", path, d.line, flag)
				}
			}
		}
	}
}

// Covers operator §Settings: DATA_DIR
// Covers operator §Settings: WORKER_CONCURRENCY
func TestOperatorDocumentHasEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/spec/operator.md")
	must(t, err)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z_]+) \| (.*) \|$`).FindAllStringSubmatch(string(text), -1) {
		rows[row[1]] = row[2]
	}
	for f := range reflect.TypeFor[settings.Settings]().Fields() {
		name := f.Tag.Get("env")
		if name == "" || name == "-" {
			continue
		}
		row, there := rows[name]
		if byDefault := f.Tag.Get("envDefault"); !there || byDefault != "" && !strings.Contains(row, "`"+byDefault+"`") {
			t.Errorf("%s, by default %q, is documented as %q", name, byDefault, row)
		}
		delete(rows, name)
	}
	if len(rows) != 0 {
		t.Errorf("there are no settings %v", rows)
	}
}

// TestOperatorDocumentHasEveryKeyOfANetwork compares the table of NETWORKS_FILE with the keys of its reader.
func TestOperatorDocumentHasEveryKeyOfANetwork(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/spec/operator.md")
	must(t, err)
	_, table, found := strings.Cut(string(text), "\n| key | meaning |\n| --- | --- |\n")
	if !found {
		t.Fatal("there is no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var documented, read []string
	for row := range strings.SplitSeq(table, "\n") {
		documented = append(documented, strings.Split(strings.Split(row, " | ")[0][len("| "):], ", ")...)
	}
	for f := range reflect.TypeFor[evm.Config]().Fields() {
		if key := f.Tag.Get("yaml"); key != "-" {
			read = append(read, key)
		}
	}
	slices.Sort(documented)
	slices.Sort(read)
	if !slices.Equal(documented, read) {
		t.Errorf("documented are %v, read are %v", documented, read)
	}
}

// leaves are the commands with work of their own, hidden ones left out.
func leaves(c *cobra.Command) (out []*cobra.Command) {
	if !c.HasSubCommands() {
		return []*cobra.Command{c}
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" && !sub.IsAdditionalHelpTopicCommand() {
			out = append(out, leaves(sub)...)
		}
	}
	return out
}
