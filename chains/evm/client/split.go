package client

import "bytes"

// Bounds of what is split: a small answer costs little as a whole, and nodes write little around a result.
const (
	leastSplit = 4 << 10
	mostAround = 200
)

// splitResult cuts a long result out of a single answer: it is then read once, with the type of its question, and not as a part of the
// answer before. The rest has an empty list in its place. The library still reads each byte of both. An answer unlike those of nodes stays
// whole.
func splitResult(answer []byte) (result, rest []byte, ok bool) {
	if len(answer) < leastSplit {
		return nil, answer, false
	}
	from := resultAt(answer[:mostAround])
	if from < 0 {
		return nil, answer, false
	}
	to := from + bracketed(answer[from:])
	tail := answer[to:]
	if to == from || len(tail) > mostAround || !onlyOther(tail) {
		return nil, answer, false
	}
	rest = make([]byte, 0, from+len("[]")+len(tail))
	rest = append(append(rest, answer[:from]...), "[]"...)
	return answer[from:to], append(rest, tail...), true
}

// elements cuts a long list of answers into its objects. It returns none of any other text, also of one with space between them.
func elements(answer []byte) (out [][]byte) {
	if len(answer) < leastSplit {
		return nil
	}
	for rest := answer; ; {
		rest = rest[1:] // the mark before an object
		n := bracketed(rest)
		if n == 0 || n == len(rest) || rest[0] != '{' {
			return nil
		}
		out = append(out, rest[:n])
		if rest = rest[n:]; len(rest) == 1 && rest[0] == ']' {
			return out
		}
		if rest[0] != ',' {
			return nil
		}
	}
}

// resultAt returns where the result begins, if the answer is an object with nothing but numbers and plain texts before it; else -1.
func resultAt(head []byte) int {
	const name = `"result":`
	at := bytes.Index(head, []byte(name))
	if at < 1 || head[0] != '{' || bytes.ContainsAny(head[1:at], `{[\`) {
		return -1
	}
	return at + len(name)
}

// bracketed returns the length of the list or object at the beginning of a text, 0 where there is none with an end.
func bracketed(text []byte) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			n := textLength(text[at+1:])
			if n == 0 {
				return 0
			}
			at += n
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// textLength returns the length of the rest of an open text with its closing mark, 0 where there is none.
func textLength(rest []byte) int {
	for at := 0; at < len(rest); at++ {
		n := bytes.IndexByte(rest[at:], '"')
		if n < 0 {
			return 0
		}
		escape := bytes.IndexByte(rest[at:at+n], '\\')
		if escape < 0 {
			return at + n + 1
		}
		at += escape + 1 // the escaped byte, and the loop goes on after it
	}
	return 0
}

// onlyOther reports whether the members after a result are surely no second one, in whatever letters.
func onlyOther(tail []byte) bool {
	for _, b := range tail {
		if b >= 0x80 || b == '\\' {
			return false
		}
	}
	return !bytes.Contains(bytes.ToLower(tail), []byte("result"))
}
