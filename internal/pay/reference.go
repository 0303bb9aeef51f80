package pay

import "strings"

// TrimmedReference returns the reference under which a payin is kept: without the white space around it (api-v1 §Payin request
// object). A text of white space alone names no payin, and stays as it is, so that no lookup takes it for a filter that was left out.
func TrimmedReference(sent string) string {
	if trimmed := strings.TrimSpace(sent); trimmed != "" {
		return trimmed
	}
	return sent
}
