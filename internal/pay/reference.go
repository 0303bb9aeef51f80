package pay

import "strings"

// TrimmedReference returns the reference of a payin as it is kept: without the white space around it (api-v1 §Payin request
// object). A text of white space alone names no payin. It stays as it is, so no lookup takes it for an absent filter.
func TrimmedReference(sent string) string {
	if trimmed := strings.TrimSpace(sent); trimmed != "" {
		return trimmed
	}
	return sent
}
