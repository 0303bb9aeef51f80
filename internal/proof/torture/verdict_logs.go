package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// broken are the beginnings of lines that no life of a role may print: panics, what the runtime gives up at, and what the race
// detector has found in a binary built with it. A panic that a role survives is the error of a line (gather.ErrPanic).
var broken = []string{"panic:", "fatal error:", "WARNING: DATA RACE"}

// survived is what a line has of a panic that was made an error: the beginning of its stack.
const survived = `\ngoroutine `

// judgeLogs reads what the roles printed.
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
