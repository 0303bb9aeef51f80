// Package command is shared by all commands: settings, standard input and output, progress, exit codes, and errors about
// the command line.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"causeway/chains"
	"causeway/internal/cli/screen"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/admin"
)

// The exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// Line is shared by the commands on one command line: the source of settings, and the targets of messages and results.
type Line struct {
	Environ []string
	DataDir string          // --data-dir
	Sandbox bool            // --sandbox
	Drivers []chains.Driver // of all families of networks with a connector
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  *screen.Screen
	quiet   bool             // --quiet
	Now     *screen.Progress // of the running command; nil without a terminal or with --quiet
	started bool             // the command line made sense
}

// New is a command line with settings from environ.
func New(environ []string, stdout, stderr io.Writer) *Line {
	return &Line{Environ: environ, Stdin: os.Stdin, Stdout: stdout, Stderr: screen.New(stderr, environ)}
}

// Tree is a tree of commands called causeway, with the flags common to all of them.
func (l *Line) Tree(short string, commands ...*cobra.Command) *cobra.Command {
	root := Group("causeway", short, commands...)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.PersistentFlags().StringVar(&l.DataDir, "data-dir", "", "directory of causeway dev (DATA_DIR, default "+settings.DefaultDataDir+")")
	root.PersistentFlags().BoolVar(&l.Sandbox, "sandbox", false, "act on the sandbox beside the live networks (SANDBOX_DATABASE_URL)")
	root.PersistentFlags().BoolVar(&l.quiet, "quiet", false, "show no progress on a terminal")
	return root
}

// Run runs one command of a tree to its end and returns the exit code.
func (l *Line) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetOut(l.Stdout)
	root.SetErr(l.Stderr)
	helpOnWhatThereIs(root)
	l.watchStart(root)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	if !l.started {
		err = inOurWords(c, err)
	}
	fmt.Fprintln(l.Stderr, "causeway:", screen.OneLine(err))
	var usage usageError
	var refusal admin.Refusal
	if !l.started || errors.As(err, &usage) || errors.As(err, &refusal) && refusal.Unread() {
		return ExitUsage
	}
	return ExitFailed
}

// watchStart notes when a command begins: earlier errors are about the command line.
func (l *Line) watchStart(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			l.started = true
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		l.watchStart(sub)
	}
}

// Settings reads the settings, the sandbox's with --sandbox, and makes sure the needed ones are set.
func (l *Line) Settings(needed ...string) (*settings.Settings, error) {
	s, err := settings.Read(l.Environ, l.DataDir)
	if err != nil {
		return nil, err
	}
	s.Drivers = l.Drivers
	if l.Sandbox {
		s = s.OfSandbox()
	}
	if err := s.Need(needed...); err != nil {
		return nil, err
	}
	return s, nil
}

// Print writes a command's result: exactly one JSON value (operator).
func (l *Line) Print(result any) error {
	encoder := json.NewEncoder(l.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}

// Doing tells of a command until the answered function is called, where a person looks and did not ask for quiet.
func (l *Line) Doing(c *cobra.Command) func() {
	l.Tell(strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "))
	return func() { l.Now.End() }
}

// Tell begins to show progress.
func (l *Line) Tell(what string) {
	if !l.quiet {
		l.Now = l.Stderr.Tell(what)
	}
}

// Actor is the actor of audit rows: CAUSEWAY_ACTOR, or the user of the system.
func (l *Line) Actor() string {
	for _, line := range l.Environ {
		if name, ok := strings.CutPrefix(line, "CAUSEWAY_ACTOR="); ok && name != "" {
			return name
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
