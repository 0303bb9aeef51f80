package api

import (
	"net/url"
	"strings"

	"causeway/internal/pay"
)

// parameters are those of a request's query: the first value of each name, the names with an undecodable value, and the
// names given twice.
type parameters struct {
	first      map[string]string
	unreadable map[string]bool
	twice      map[string]bool
}

// readParameters splits a query at & alone: ; is part of a value (addendum §13). Where the percent-encoding is broken
// the value stands as it was sent.
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
			p.unreadable = including(p.unreadable, name)
		}
		if _, given := p.first[name]; given {
			p.twice = including(p.twice, name)
			continue
		}
		p.first[name] = text
	}
	return p
}

// including adds a name to a set, and creates the set if it is nil.
func including(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

func unescaped(sent string) (text string, ok bool) {
	text, err := url.QueryUnescape(sent)
	if err != nil {
		return sent, false
	}
	return text, readable(text)
}

// readQuery reads the query. It refuses an unreadable parameter of the operation, one given twice, and a name differing from
// such a parameter in its spelling only: leaving it out would answer with everything.
func (c *Call) readQuery() error {
	c.query = readParameters(c.Request.URL.RawQuery)
	if len(c.query.first) == 0 {
		return nil
	}
	for i := range c.route.Doc.Params {
		param := &c.route.Doc.Params[i]
		if param.In != "" {
			continue
		}
		if err := c.readable(param.Name); err != nil {
			return err
		}
		if c.query.twice[param.Name] {
			return wrongFields(param.Name, "must be given once")
		}
	}
	return c.query.misspelt(c.route.Doc.Params)
}

// readable refuses a parameter with broken percent-encoding, by the operation's code for it.
func (c *Call) readable(name string) error {
	if !c.query.unreadable[name] {
		return nil
	}
	if own := c.route.Doc.Unreadable[name]; own != nil {
		said := *own // its own message is about readable values
		said.Message = name + " " + notEncoded + "."
		return &said
	}
	return unreadableParameter(name)
}

const notEncoded = "is not percent-encoded as a URL must be, in UTF-8 and without NUL"

func unreadableParameter(name string) *pay.Error { return wrongFields(name, notEncoded) }

// Query returns the first value of a query parameter, or "".
func (c *Call) Query(name string) string { return clean(c.query.first[name]) }
