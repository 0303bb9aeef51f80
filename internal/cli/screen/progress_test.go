package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// watched is a screen with a person in front of it.
func watched() (*Screen, *bytes.Buffer) {
	var out bytes.Buffer
	s := New(&out, nil)
	s.live = true
	return s, &out
}

func TestProgressTellsWhatAndHowFar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, out := watched()
		shown := func() string { // the line is written under the same lock
			s.mu.Lock()
			defer s.mu.Unlock()
			return out.String()
		}
		d := s.Tell("counting")
		<-time.After(progressAfter - time.Millisecond) // by the clock of the bubble
		require.Empty(t, shown(), "what is done soon shows nothing")
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Contains(t, shown(), wipe+"counting … 2 s")
		d.At("asking the networks", 3, 24)
		<-time.After(time.Second)
		synctest.Wait()
		require.Contains(t, shown(), wipe+"asking the networks, 3 of 24 … 3 s")
		fmt.Fprintln(s, "a line of the log")
		require.True(t, strings.HasSuffix(shown(), wipe+"a line of the log\nasking the networks, 3 of 24 … 3 s"), "%q", shown())
		d.At(strings.Repeat("long ", 100), 0, 0)
		<-time.After(time.Second)
		synctest.Wait()
		require.True(t, strings.HasSuffix(shown(), wipe+strings.Repeat("long ", 15)+"long"), "%q", shown())
		d.End()
		require.True(t, strings.HasSuffix(shown(), wipe), "nothing is left of it")
	})
}

func TestProgressIsQuiet(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]io.Writer{"no terminal": new(bytes.Buffer), "a file": tempFile(t)} {
		d := New(out, nil).Tell("counting")
		require.Nil(t, d, name)
		d.At("on", 1, 2)
		d.End()
	}
}

func tempFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(t.TempDir() + "/stderr")
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// A terminal is known as one, unless it is a dumb one.
func TestScreenKnowsATerminal(t *testing.T) {
	t.Parallel()
	us, them, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = us.Close(), them.Close() })
	require.True(t, New(them, []string{"TERM=xterm"}).live)
	require.False(t, New(them, []string{"TERM=dumb"}).live)
}
