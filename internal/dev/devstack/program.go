package devstack

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Program is a server of another kind. It runs as the private servers do: as an ordinary user, and until this process ends.
type Program struct{ process *process }

// StartProgram starts a program in a directory of OwnDir. Its output is appended to the file of its name there.
func StartProgram(dir, program string, args ...string) (*Program, error) {
	who, err := ordinaryUser()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, filepath.Base(program)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := who.command(dir, program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	p, err := launch(cmd, syscall.SIGTERM)
	return &Program{p}, err
}

// Stop ends the program in order.
func (p *Program) Stop() error { return p.process.stop(syscall.SIGTERM) }

// Kill ends the program at once.
func (p *Program) Kill() error { return p.process.stop() }

// Alive reports whether the program has not ended yet.
func (p *Program) Alive() bool { return p.process.alive() }

// OwnDir makes a directory for the user of the servers, closed to everybody else but root.
func OwnDir(dir string) error {
	who, err := ordinaryUser()
	if err != nil {
		return err
	}
	return who.own(dir)
}

// OwnFile writes a file for the user of the servers alone.
func OwnFile(path, content string) error {
	who, err := ordinaryUser()
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, []byte(content), 0o600), who.give(path))
}

// PostgresPrograms is the directory of the newest PostgreSQL's programs.
func PostgresPrograms() (string, error) { return findPostgres("") }
