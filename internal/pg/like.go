package pg

// EscapeLike escapes %, _ and \ for LIKE.
func EscapeLike(word string) string {
	out := make([]rune, 0, len(word))
	for _, r := range word {
		if r == '%' || r == '_' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
