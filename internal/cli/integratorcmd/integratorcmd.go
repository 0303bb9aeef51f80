// Package integratorcmd is the commands by which an integration is tried out: sandbox, trigger, listen and webhook.
package integratorcmd

import "causeway/internal/cli/command"

// commands is the command line as these commands use it.
type commands struct{ *command.Line }
