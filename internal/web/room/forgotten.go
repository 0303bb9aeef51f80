package room

import (
	"fmt"
	"time"
)

// Forgotten words the empty table of a subject's webhooks, and returns the note above it. The subject was made at a time, and webhooks are
// deleted so many days after their end; 0 keeps them for ever.
func Forgotten(days int, made time.Time, webhooks *Table) (note string) {
	webhooks.Empty = "No webhooks yet."
	if days == 0 || time.Since(made) < time.Duration(days)*24*time.Hour {
		return ""
	}
	webhooks.Empty = "No webhooks are left."
	return fmt.Sprintf("Webhooks are deleted %d days after they ended.", days)
}
