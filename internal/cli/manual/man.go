package manual

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"causeway/internal/cli/command"
)

// Command writes manual pages of section 1.
func Command(l *command.Line, version string) *cobra.Command {
	return &cobra.Command{Use: "man DIR", Short: "write a manual page for each command into a directory", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "Causeway " + version, Manual: "Causeway"}
			err := os.MkdirAll(args[0], 0o755) // #nosec G301 -- everybody may read the pages
			if err == nil {
				err = doc.GenManTree(root, header, args[0])
			}
			if err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			fmt.Fprintf(l.Stderr, "wrote the manual pages: man -l %s/causeway.1\n", args[0])
			return nil
		}}
}
