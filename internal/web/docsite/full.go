package docsite

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed full.md
var fullText embed.FS

// plain has the template for the text of everything.
var plain = template.Must(template.New("").Funcs(template.FuncMap{
	"cell": func(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) },
	"join": func(values []string) string { return strings.Join(values, ", ") },
}).ParseFS(fullText, "full.md"))

// markdown is the whole site in one text: guides, reference, error codes.
func (r *reference) markdown(codes []Code, guides []guide) ([]byte, error) {
	var texts []string
	for _, g := range guides {
		texts = append(texts, g.text)
	}
	var out bytes.Buffer
	err := plain.ExecuteTemplate(&out, "full.md", map[string]any{"Reference": r, "Codes": codes, "Guides": texts})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", Full, err)
	}
	return out.Bytes(), nil
}
