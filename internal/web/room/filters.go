package room

import (
	"strings"

	"causeway/internal/pay"
)

// Choice is a filter of a few values.
func (v *Asked) Choice(name, label string, values ...string) Field {
	f := Field{Name: name, Label: label, Kind: "select", Options: []Option{{Value: "", Text: "any"}}}
	for _, value := range values {
		f.Options = append(f.Options, Option{Value: value, Text: strings.ToLower(strings.TrimPrefix(value, "STATUS_")), Chosen: v.Ask(name) == value})
	}
	return f
}

// Spelt is a choice of names in their own spelling.
func (v *Asked) Spelt(name, label string, values []string) Field {
	f := v.Choice(name, label, values...)
	for i := range f.Options[1:] {
		f.Options[i+1].Text = f.Options[i+1].Value
	}
	return f
}

// OnNetwork is a filter by network.
func (v *Asked) OnNetwork() Field {
	names := make([]string, len(pay.Networks))
	for i, n := range pay.Networks {
		names[i] = n.Name
	}
	return v.Spelt("network", "Network", names)
}

// Written is a filter by a typed text.
func (v *Asked) Written(name, label string) Field {
	return Field{Name: name, Label: label, Kind: "text", Value: v.Ask(name)}
}

// Days are the filters by the first and the last day.
func (v *Asked) Days() []Field {
	return []Field{{Name: "from", Label: "From (UTC)", Kind: "date", Value: v.Ask("from")},
		{Name: "until", Label: "Until", Kind: "date", Value: v.Ask("until")}}
}

// ListPart is a list on its page, with the problem of its filter.
func (v *Asked) ListPart(t *Table) Part { return Part{Table: t, Note: v.Wrong, Mood: "warn"} }
