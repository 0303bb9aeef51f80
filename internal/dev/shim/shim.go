// Package shim starts a program in node that answers as a network's node does, around that network's own virtual machine, for tests and
// demonstrations.
package shim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"causeway/internal/dev/repo"
)

// quick has node compile a machine's code once and simply. A test ends before better code has paid for its making.
const quick = "--liftoff-only"

// patience is how long a program may take to start, on a machine busy with many.
const patience = time.Minute

// Process is a program that runs.
type Process struct {
	URL     string // where it listens
	command *exec.Cmd
	stdin   io.Closer
}

// Start starts shim/main.cjs below internal/dev/NAME, with the path printed by a script of scripts/, which installs the machine where it
// is missing, and with options in JSON. The program prints "Listening on URL", and ends with its input, so with this process.
func Start(name, script, options string) (*Process, error) {
	root, err := repo.Dir()
	if err != nil {
		return nil, err
	}
	install := exec.Command(filepath.Join(root, "scripts", script))
	install.Stderr = os.Stderr
	machine, err := install.Output()
	if err != nil {
		return nil, fmt.Errorf("scripts/%s: %w", script, err)
	}
	p := &Process{command: exec.Command("node", quick, filepath.Join(root, "internal", "dev", name, "shim", "main.cjs"), strings.TrimSpace(string(machine)), options)}
	p.command.Stderr = os.Stderr
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("node is missing (scripts/bootstrap --node): %w", err)
	}
	if p.URL, err = listening(out); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// listening waits for the line that says where a program listens.
func listening(out io.Reader) (string, error) {
	found := make(chan string, 1)
	go func() {
		defer close(found)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if words := strings.Fields(lines.Text()); len(words) > 2 && words[0] == "Listening" {
				found <- words[2]
			}
		}
	}()
	select {
	case url, ok := <-found:
		if !ok {
			return "", errors.New("it ended before it listened")
		}
		return url, nil
	case <-time.After(patience):
		return "", fmt.Errorf("it did not listen within %v", patience)
	}
}

// Stop ends the program.
func (p *Process) Stop() {
	if p.command.Process == nil || p.command.ProcessState != nil {
		return
	}
	_ = p.stdin.Close()
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}
