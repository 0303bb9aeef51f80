package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/cli/completion"
	"causeway/internal/cli/devcmd"
	"causeway/internal/cli/integratorcmd"
	"causeway/internal/cli/manual"
	"causeway/internal/cli/servicecmd"
)

// program is the binary: every command on one command line.
type program struct{ *command.Line }

func newProgram(environ []string, stdout, stderr io.Writer) *program {
	line := command.New(environ, stdout, stderr)
	line.Drivers = drivers
	return &program{line}
}

// commands is the table of contents of the binary.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		devcmd.Command(p.Line, p.openDev),
		p.apiCommand(),
		p.workerCommand(),
		p.schedulerCommand(),
		servicecmd.Run(p.Line),
		p.reconcileCommand(),
		servicecmd.Migrate(p.Line),
		servicecmd.Config(p.Line),
		admincmd.Command(p.Line, openOnChain),
		integratorcmd.Sandbox(p.Line),
		integratorcmd.Trigger(p.Line),
		integratorcmd.Listen(p.Line),
		integratorcmd.Webhook(p.Line),
		integratorcmd.MCP(p.Line, version),
		completion.Command(p.Line),
		manual.Command(p.Line, version),
	}
}

// root is the whole tree of commands.
func (p *program) root() *cobra.Command {
	root := p.Tree("self-hosted crypto payment service", p.commands()...)
	root.Version = version
	root.AddCommand(manual.Topics()...)
	manual.Explain(root, manual.Read())
	return root
}

// run runs a command line. Words are offered to shells alone: cobra keeps what offers them for good, and the whole tree with it.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.root() //nolint:contextcheck // cobra hands it to the command
	if completion.Asked(args) {
		completion.Complete(root, map[string][]string{"causeway run": servicecmd.JobNames(), "causeway trigger": integratorcmd.Events()})
	}
	return p.Run(ctx, root, args)
}
