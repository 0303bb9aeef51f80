package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// program is what every command shares: where settings come from, and where words and results go.
type program struct {
	environ []string
	dataDir string // --data-dir
	sandbox bool   // --sandbox
	stdin   io.Reader
	stdout  io.Writer
	stderr  *screen
	quiet   bool      // --quiet
	now     *progress // of the command that runs; nil where nobody looks
	started bool      // the command line made sense
}

func newProgram(environ []string, stdout, stderr io.Writer) *program {
	return &program{environ: environ, stdin: os.Stdin, stdout: stdout, stderr: newScreen(stderr, environ)}
}

// commands is the table of contents of the binary.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		p.devCommand(),
		p.apiCommand(),
		p.workerCommand(),
		p.schedulerCommand(),
		p.runCommand(),
		p.reconcileCommand(),
		p.migrateCommand(),
		p.configCommand(),
		p.adminCommand(),
		p.sandboxCommand(),
		p.triggerCommand(),
		p.listenCommand(),
		p.webhookCommand(),
		p.completionCommand(),
		p.manCommand(),
	}
}

// root is the whole tree of commands.
func (p *program) root() *cobra.Command {
	root := group("causeway", "self-hosted crypto payment service", p.commands()...)
	root.Version = version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.PersistentFlags().StringVar(&p.dataDir, "data-dir", "", "directory of causeway dev (DATA_DIR, default "+defaultDataDir+")")
	root.PersistentFlags().BoolVar(&p.sandbox, "sandbox", false, "act on the sandbox beside the live networks (SANDBOX_DATABASE_URL)")
	root.PersistentFlags().BoolVar(&p.quiet, "quiet", false, "show no progress on a terminal")
	root.AddCommand(p.topics()...)
	explain(root, readManual())
	complete(root)
	return root
}

func (p *program) run(ctx context.Context, args []string) int {
	root := p.root() //nolint:contextcheck // cobra hands it to the command
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	p.watchStart(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(p.stderr, "causeway:", oneLine(err))
	var usage usageError
	if !p.started || errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// watchStart notes when a command begins: errors before that are about the command line.
func (p *program) watchStart(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			p.started = true
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		p.watchStart(sub)
	}
}

// usageError is a command line that makes no sense.
type usageError struct{ why string }

func (e usageError) Error() string { return e.why }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// group is a command that only has commands under it.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q for %q, see %s --help", args[0], c.CommandPath(), c.CommandPath())
		}
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return usagef("%s needs a command: %s", c.CommandPath(), strings.Join(names, ", "))
	}}
	c.AddCommand(subs...)
	return c
}

// oneLine is an error as one line; what several errors say is told apart, and said once.
func oneLine(err error) string {
	var said []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.ReplaceAll(strings.Join(said, "; "), ":; ", ": ")
}
