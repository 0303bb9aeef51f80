package api

import (
	"net/url"
	"strings"

	"causeway/pay"
)

// parameters are those of a request's query: the first value of each name, and the names of which a value is no
// percent-encoding of a text.
type parameters struct {
	first      map[string]string
	unreadable map[string]bool
}

// readParameters splits a query at & alone, so that ; is part of a value (addendum §13). Where the percent-encoding is
// broken the value stands as it was sent.
func readParameters(raw string) *parameters {
	p := &parameters{first: map[string]string{}}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		sent, value, _ := strings.Cut(part, "=")
		name, _ := unescaped(sent)
		text, ok := unescaped(value)
		if !ok {
			if p.unreadable == nil {
				p.unreadable = map[string]bool{}
			}
			p.unreadable[name] = true
		}
		if _, given := p.first[name]; !given {
			p.first[name] = text
		}
	}
	return p
}

func unescaped(sent string) (text string, ok bool) {
	text, err := url.QueryUnescape(sent)
	if err != nil {
		return sent, false
	}
	return text, readable(text)
}

// readQuery reads the query, and refuses a parameter of the operation that cannot be read instead of leaving it out.
func (c *Call) readQuery() error {
	c.query = readParameters(c.Request.URL.RawQuery)
	if c.query.unreadable == nil {
		return nil
	}
	for i := range c.route.Doc.Params {
		param := &c.route.Doc.Params[i]
		if param.In != "" || !c.query.unreadable[param.Name] {
			continue
		}
		if own := c.route.Doc.Unreadable[param.Name]; own != nil {
			said := *own // its own message is about values that were read
			said.Message = param.Name + " " + notEncoded + "."
			return &said
		}
		return unreadableParameter(param.Name)
	}
	return nil
}

const notEncoded = "is not percent-encoded as a URL must be, in UTF-8 and without NUL"

func unreadableParameter(name string) *pay.Error { return wrongFields(name, notEncoded) }

// Query returns the first value of a query parameter, or "".
func (c *Call) Query(name string) string { return clean(c.query.first[name]) }
