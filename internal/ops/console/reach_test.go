package console

// Paths returns the paths of the pages.
func Paths() (out []string) {
	for path := range pageAt {
		out = append(out, path)
	}
	return out
}
