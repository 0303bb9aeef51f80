// Package integratorcmd is the commands to try out an integration: sandbox, trigger, listen, webhook and mcp.
package integratorcmd

import "causeway/internal/cli/command"

// commands is the command line as these commands use it.
type commands struct{ *command.Line }
