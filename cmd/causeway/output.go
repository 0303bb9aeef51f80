package main

import "encoding/json"

// print writes a command's result: exactly one JSON value (operator).
func (p *program) print(result any) error {
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}
