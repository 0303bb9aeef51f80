package screen

import (
	"slices"
	"strings"
)

// OneLine is an error as one line; the messages of joined errors are separated, and each is given once.
func OneLine(err error) string {
	var said []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.ReplaceAll(strings.Join(said, "; "), ":; ", ": ")
}
