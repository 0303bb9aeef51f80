// Package screen is standard error as people see it: the line of progress at its end, and errors as one line.
package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	progressAfter = 500 * time.Millisecond // work done sooner shows no line
	progressEvery = 250 * time.Millisecond
	progressWidth = 79 // a wrapped line could not be wiped
)

// wipe begins a terminal's line anew, empty.
const wipe = "\r\x1b[K"

// Screen is standard error. On a terminal it can have one line of progress at its end: the line goes and comes back
// around everything else written.
type Screen struct {
	out  io.Writer
	live bool // a person looks at it

	mu   sync.Mutex
	line string // as it stands there
}

// New is the screen of out; a person looks at it if out is a terminal, and not a dumb one.
func New(out io.Writer, environ []string) *Screen {
	file, isFile := out.(*os.File)
	return &Screen{out: out, live: isFile && !slices.Contains(environ, "TERM=dumb") && term.IsTerminal(int(file.Fd()))}
}

// Write implements io.Writer.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line == "" {
		return s.out.Write(text)
	}
	shown := append([]byte(wipe), text...)
	if bytes.HasSuffix(text, []byte("\n")) {
		shown = append(shown, s.line...)
	} else {
		s.line = ""
	}
	if _, err := s.out.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// show replaces the line of progress; "" takes it away.
func (s *Screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line == s.line {
		return
	}
	s.line = line
	_, _ = io.WriteString(s.out, wipe+line)
}

// Progress shows the work of a command and how far it is. A nil one shows nothing.
type Progress struct {
	screen *Screen
	began  time.Time
	stop   chan struct{}
	once   sync.Once
	ended  sync.WaitGroup

	mu   sync.Mutex
	what string
}

// Tell begins to show progress, where a person looks.
func (s *Screen) Tell(what string) *Progress {
	if !s.live {
		return nil
	}
	d := &Progress{screen: s, began: time.Now(), stop: make(chan struct{}), what: what}
	d.ended.Go(d.run)
	return d
}

// At sets the work of this moment, and how much of how much of it; a total of 0 is unknown.
func (d *Progress) At(what string, done, total int) {
	if d == nil {
		return
	}
	if total > 0 {
		what = fmt.Sprintf("%s, %d of %d", what, done, total)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what = what
}

// End takes the line away; it may be called again.
func (d *Progress) End() {
	if d == nil {
		return
	}
	d.once.Do(func() { close(d.stop) })
	d.ended.Wait()
}

func (d *Progress) run() {
	beat := time.NewTicker(progressEvery)
	defer beat.Stop()
	for {
		select {
		case <-d.stop:
			d.screen.show("")
			return
		case now := <-beat.C:
			if took := now.Sub(d.began); took >= progressAfter {
				d.screen.show(d.text(took))
			}
		}
	}
}

// text is the line, cut at progressWidth.
func (d *Progress) text(took time.Duration) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := []rune(fmt.Sprintf("%s … %d s", d.what, int(took.Seconds())))
	return string(line[:min(len(line), progressWidth)])
}
