// Package manual explains the commands: their long help and examples, the topics of help, and manual pages.
package manual

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"causeway/internal/cli/settings"
)

// manualFiles hold, for each command, its path after a #, a description, and examples, each on a line of its own after
// four blanks. A test runs every example against the tree of commands.
//
//go:embed *.txt
var manualFiles embed.FS

// Entry is the long help of one command.
type Entry struct{ long, example string }

// Read reads every entry by the path of its command.
func Read() map[string]Entry {
	out := map[string]Entry{}
	names, _ := fs.Glob(manualFiles, "*.txt")
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

func readEntry(body string) Entry {
	var long, examples []string
	for line := range strings.Lines(strings.TrimSpace(body)) {
		if example, ok := strings.CutPrefix(line, "    "); ok {
			examples = append(examples, "  "+strings.TrimSpace(example))
		} else {
			long = append(long, line)
		}
	}
	return Entry{strings.TrimSpace(strings.Join(long, "")), strings.Join(examples, "\n")}
}

// Explain gives a command and all under it their entries of the manual.
func Explain(c *cobra.Command, manual map[string]Entry) {
	entry := manual[c.CommandPath()]
	c.Long, c.Example = strings.TrimSpace(entry.long+"\n\n"+c.Long), entry.example
	for _, sub := range c.Commands() {
		Explain(sub, manual)
	}
}

// Topics are pages of help without a command: `causeway help settings`.
func Topics() []*cobra.Command {
	var table strings.Builder
	for _, s := range (&settings.Settings{}).Show() {
		fmt.Fprintf(&table, "%s\n    %s\n", s.Name, s.Meaning)
		if s.Default != "" {
			fmt.Fprintf(&table, "    default %s\n", s.Default)
		}
	}
	table.WriteString("CAUSEWAY_ACTOR\n    who the audit names for changes by commands\n    default the user of the system\n")
	return []*cobra.Command{
		{Use: "settings", Short: "settings in the environment", Long: table.String()},
		{Use: "exit-codes", Short: "what exit codes mean"},
	}
}
