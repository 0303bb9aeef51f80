package client

import "errors"

// The bounds of one answer. A batch with a larger answer is asked for in halves.
const (
	// maxBody is how many bytes of an answer are kept at most. An element of a list counts as elementWeight more: its shortest
	// text takes up so much memory once it is read.
	maxBody       = 32 << 20
	elementWeight = 64
	// maxWire is how many bytes of an answer are read at most, kept or not: far more than the traces of an honest block.
	maxWire = 512 << 20
)

var errLarge = errors.New("the answer is too large")

// slimmer keeps the JSON written to it, but makes the values of unread members null. The sender of a transaction decides how
// long those are, and a trace has the input of every call once more. Text other than JSON stays none.
type slimmer struct {
	unread  map[string]bool // names of members
	kept    []byte
	weight  int    // of kept, with its elements
	wire    int    // bytes written
	lists   []bool // for each open bracket kept, whether it begins a list
	quoted  bool   // inside a text
	escaped bool   // after a backslash in it
	from    int    // begin and end of the latest text kept: the name of a member, before a colon
	to      int
	skips   bool // inside an unread value
	depth   int  // of brackets in it
}

// Write implements io.Writer. Its error is errLarge.
func (s *slimmer) Write(chunk []byte) (int, error) {
	s.wire += len(chunk)
	for rest := chunk; len(rest) > 0; {
		var n int
		if s.quoted {
			n = s.text(rest)
		} else if n = plain(rest); n == 0 {
			n = 1
			s.mark(rest[0])
		} else if !s.skips {
			s.kept = append(s.kept, rest[:n]...)
		}
		rest = rest[n:]
	}
	if s.weight+len(s.kept) > maxBody || s.wire > maxWire {
		return 0, errLarge
	}
	return len(chunk), nil
}

// text takes the rest of the open text, and returns its length.
func (s *slimmer) text(rest []byte) int {
	n, escaped := len(rest), s.escaped
	for i, b := range rest {
		if escaped {
			escaped = false
		} else if b == '\\' {
			escaped = true
		} else if b == '"' {
			s.quoted, n = false, i+1
			break
		}
	}
	s.escaped = escaped
	if !s.skips {
		s.kept = append(s.kept, rest[:n]...)
		s.to = len(s.kept) - 1
	}
	return n
}

// plain returns how many bytes there are before the next mark: numbers, words and space.
func plain(rest []byte) int {
	for i, b := range rest {
		switch b {
		case '"', '[', ']', '{', '}', ',', ':':
			return i
		}
	}
	return len(rest)
}

// mark takes a mark outside of texts.
func (s *slimmer) mark(b byte) {
	if s.skips && !s.ends(b) {
		return
	}
	s.skips = false
	s.kept = append(s.kept, b)
	switch b {
	case '"':
		s.quoted, s.from = true, len(s.kept)
	case '[', '{':
		s.lists = append(s.lists, b == '[')
		s.count()
	case ']', '}':
		s.lists = s.lists[:max(len(s.lists)-1, 0)]
	case ',':
		s.count()
	case ':':
		if s.unread[string(s.kept[s.from:max(s.to, s.from)])] {
			s.kept = append(s.kept, "null"...)
			s.skips, s.depth = true, 0
		}
	}
}

// count counts the next element, if it is one of a list.
func (s *slimmer) count() {
	if n := len(s.lists); n > 0 && s.lists[n-1] {
		s.weight += elementWeight
	}
}

// ends reports whether a mark is the first one after the unread value.
func (s *slimmer) ends(b byte) bool {
	switch b {
	case '"':
		s.quoted = true
	case '[', '{':
		s.depth++
	case ']', '}':
		s.depth--
		return s.depth < 0
	case ',':
		return s.depth == 0
	}
	return false
}
