package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// broken are the beginnings of lines no life of a role may print: panics, fatal errors of the runtime, and findings of
// the race detector in a binary built with it. If a role survives a panic, this is the error of a line
// (gather.ErrPanic).
var broken = []string{"panic:", "fatal error:", "WARNING: DATA RACE"}

// survived is the trace of a panic turned into an error, within a line: the beginning of its stack.
const survived = `\ngoroutine `

// judgeLogs reads the output of the roles.
func (e *evidence) judgeLogs() {
	logs, err := filepath.Glob(filepath.Join(e.t.logs(), "*.log"))
	if err == nil && len(logs) == 0 {
		err = errors.New("there are none")
	}
	for _, log := range logs {
		err = errors.Join(err, e.judgeLog(log))
	}
	if err != nil {
		e.wrong("the logs can be read", err.Error())
	}
}

func (e *evidence) judgeLog(path string) error {
	log, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read a role's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	lines := bufio.NewReader(log)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		for _, sign := range broken {
			if strings.HasPrefix(line, sign) || strings.Contains(line, survived) {
				e.wrong("no role panics or races", fmt.Sprintf("%s:%d: %s", path, n, strings.TrimSpace(line)))
			}
		}
		if err != nil {
			return nil // the end of the file
		}
	}
}
