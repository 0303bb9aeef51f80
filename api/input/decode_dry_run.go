package input

import (
	"bytes"
	"unicode/utf8"
)

// DryRun is the name of the query parameter of dry runs (api-v1 §Payout dry run).
const DryRun = "dry_run"

// NamesDryRun reports whether an item has a member, not null, named dry_run but for case, separators or brackets.
func NamesDryRun(o Object) bool {
	if o.Raw(DryRun) != nil {
		return true
	}
	if !o.others {
		return false
	}
	var room [64]byte
	for m := membersOf(o.text); m.next(); {
		name := appendName(room[:0], m.name)
		if mayNameDryRun(name) && notNull(m.value) != nil && resembles(string(name), DryRun) {
			return true
		}
	}
	return false
}

// mayNameDryRun reports whether a name has the letters of dry, or something percent-encoded: a body has room for a hundred thousand
// other names, and those must cost nothing.
func mayNameDryRun(name []byte) bool {
	return bytes.ContainsAny(name, "dD%") && bytes.ContainsAny(name, "rR%") && bytes.ContainsAny(name, "yY%")
}

// appendName adds a quoted JSON name without its quotes and escapes, as far as there is room: a longer name is none of ours.
func appendName(to, quoted []byte) []byte {
	for text := quoted[1 : len(quoted)-1]; len(text) > 0 && len(to)+utf8.UTFMax <= cap(to); {
		if text[0] != '\\' {
			to, text = append(to, text[0]), text[1:]
			continue
		}
		r, size := escape(text)
		to, text = utf8.AppendRune(to, r), text[max(size, 1):]
	}
	return to
}
