package input

import "bytes"

// NotText says a value of another type must be a string, in place of a message about its form.
func NotText(o Object, name, message string) string {
	kind := ""
	switch raw := o.Raw(name); {
	case len(raw) == 0:
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		kind = "a number"
	case raw[0] == 't' || raw[0] == 'f':
		kind = "true or false"
	case raw[0] == '[':
		kind = "a list"
	case raw[0] == '{':
		kind = "an object"
	}
	if kind == "" {
		return message
	}
	return "must be text in quotes, not " + kind
}

// otherBody names a body other than JSON: compressed, marked with a byte order mark, or a form. It is empty for the rest.
func otherBody(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return "it is compressed by gzip, and must be sent as it is"
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "it begins with a byte order mark (BOM), which JSON must not have"
	case isForm(body):
		return "it is a form (name=value), and must be JSON"
	}
	return ""
}

// isForm reports whether a body begins with a name of letters, digits and underscores, and an equals sign.
func isForm(body []byte) bool {
	const longest = 64
	name, _, found := bytes.Cut(body[:min(len(body), longest)], []byte("="))
	return found && len(name) > 0 && Only(string(name), WordCharacter)
}
