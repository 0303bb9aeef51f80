package panel

import "causeway/internal/people"

// RightOf returns the kind of right of every act, by its path.
func RightOf() map[string]people.Act {
	out := map[string]people.Act{}
	for path, a := range acts {
		out[path] = a.right
	}
	return out
}

// Paths returns the paths of the pages.
func Paths() (out []string) {
	for path := range pageAt {
		out = append(out, path)
	}
	return out
}
