// Package trying is the commands by which an integration is tried out: sandbox, trigger, listen and webhook.
package trying

import "causeway/cmd/causeway/command"

// commands is the command line as these commands use it.
type commands struct{ *command.Line }
