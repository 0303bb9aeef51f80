package api

import "causeway/api/input"

// readQuery reads the query. It refuses an unreadable parameter of the operation, one given twice, and a name differing from
// such a parameter in its spelling only: leaving it out would answer with everything.
func (c *Call) readQuery() error {
	c.query = input.ReadParameters(c.Request.URL.RawQuery)
	if len(c.query.First) == 0 {
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
		if c.query.Twice[param.Name] {
			return input.WrongField(param.Name, "must be given once")
		}
	}
	return c.query.Misspelt(c.route.Doc.Params)
}

// readable refuses a parameter with broken percent-encoding, by the operation's code for it.
func (c *Call) readable(name string) error {
	if !c.query.Unreadable[name] {
		return nil
	}
	if own := c.route.Doc.Unreadable[name]; own != nil {
		said := *own // its own message is about readable values
		said.Message = name + " " + input.NotEncoded + "."
		return &said
	}
	return input.Unreadable(name)
}

// Query returns the first value of a query parameter, or "".
func (c *Call) Query(name string) string { return input.Clean(c.query.First[name]) }
