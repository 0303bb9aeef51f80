package remotesigner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// longest is the most bytes of an answer. More of it is not read.
const longest = 64 << 10

// program is a signer that is started for each question.
type program struct {
	command []string
	env     []string
	dir     string
}

func newProgram(c Config, dir string) *program {
	command := append([]string{c.Command[0]}, c.Command[1:]...)
	if strings.ContainsRune(command[0], filepath.Separator) {
		command[0] = within(dir, command[0])
	}
	return &program{command: command, env: append([]string{"PATH", "HOME", "TMPDIR"}, c.Env...), dir: dir}
}

// ask runs the program. It has none of our variables but those named: they hold the secrets of this process.
func (p *program) ask(ctx context.Context, question []byte) ([]byte, error) {
	var out, complaint bounded
	run := exec.CommandContext(ctx, p.command[0], p.command[1:]...) // #nosec G204 -- the operator names the program
	run.Dir, run.Env, run.WaitDelay = p.dir, p.variables(), time.Second
	run.Stdin, run.Stdout, run.Stderr = bytes.NewReader(question), &out, &complaint
	err := run.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, fmt.Errorf("the program ended with %s: %s", exit.ProcessState, clean(string(complaint.kept)))
	case err != nil:
		return nil, errors.New("the program does not run: " + clean(err.Error()))
	default:
		return out.kept, nil
	}
}

func (p *program) variables() []string {
	out := []string{} // nil would be all
	for _, name := range p.env {
		if value, given := os.LookupEnv(name); given {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// bounded keeps the first bytes written to it.
type bounded struct{ kept []byte }

func (b *bounded) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(longest-len(b.kept), len(p))]...)
	return len(p), nil
}
