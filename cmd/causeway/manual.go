package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// manualFiles hold, for each command, its path after a #, what it does, and examples, each on a line of its own that four
// blanks begin. A test runs every example against the tree of commands.
//
//go:embed manual/*.txt
var manualFiles embed.FS

// manualEntry is the long help of one command.
type manualEntry struct{ long, example string }

// readManual reads every entry by the path of its command.
func readManual() map[string]manualEntry {
	out := map[string]manualEntry{}
	names, _ := fs.Glob(manualFiles, "manual/*.txt")
	for _, name := range names {
		text, _ := manualFiles.ReadFile(name)
		for part := range strings.SplitSeq("\n"+string(text), "\n# ") {
			path, body, _ := strings.Cut(part, "\n")
			if path != "" {
				out[path] = readEntry(body)
			}
		}
	}
	return out
}

func readEntry(body string) manualEntry {
	var long, examples []string
	for line := range strings.Lines(strings.TrimSpace(body)) {
		if example, ok := strings.CutPrefix(line, "    "); ok {
			examples = append(examples, "  "+strings.TrimSpace(example))
		} else {
			long = append(long, line)
		}
	}
	return manualEntry{strings.TrimSpace(strings.Join(long, "")), strings.Join(examples, "\n")}
}

// explain gives a command and all under it their entries of the manual.
func explain(c *cobra.Command, manual map[string]manualEntry) {
	entry := manual[c.CommandPath()]
	c.Long, c.Example = strings.TrimSpace(entry.long+"\n\n"+c.Long), entry.example
	for _, sub := range c.Commands() {
		explain(sub, manual)
	}
}

// topics are pages of help that are no commands: `causeway help settings`.
func (p *program) topics() []*cobra.Command {
	var table strings.Builder
	for _, s := range (&Settings{}).show() {
		fmt.Fprintf(&table, "%s\n    %s\n", s.Name, s.Meaning)
		if s.Default != "" {
			fmt.Fprintf(&table, "    default %s\n", s.Default)
		}
	}
	table.WriteString("CAUSEWAY_ACTOR\n    who the audit names for changes by commands\n    default the user of the system\n")
	return []*cobra.Command{
		{Use: "settings", Short: "what the environment may say", Long: table.String()},
		{Use: "exit-codes", Short: "what a command's exit code says"},
	}
}
