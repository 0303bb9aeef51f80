package message

import (
	"html/template"
	"strings"
)

// Line is one fact of a mail.
type Line struct {
	Title    string
	Text     string
	Link     string // empty without one
	Merchant string // the name of the merchant it is about; empty without one
	Lang     string // of Title and Text; empty = English
}

// Texts are the words of a mail about facts.
type Texts struct{ Subject, Text, HTML string }

// written is what the forms below are filled with.
type written struct {
	Lines    []Line
	More     int    // facts that are left out
	Switches string // where to switch topics off; empty without an address
	Sender   string
	Lang     string
}

// mostLines is how many facts a mail names.
const mostLines = 50

// Write makes the words of a mail of one or more facts. Switches is the address of the page with the switches.
func Write(sender, switches string, lines []Line) (*Texts, error) {
	w := written{Lines: lines, Switches: switches, Sender: sender, Lang: "en"}
	if over := len(lines) - mostLines; over > 0 {
		w.Lines, w.More = lines[:mostLines], over
	}
	return texts(w, subject(lines))
}

// texts fills the forms.
func texts(w written, subject string) (*Texts, error) {
	var html strings.Builder
	if err := form.Execute(&html, w); err != nil {
		return nil, err
	}
	return &Texts{Subject: subject, Text: plain(w), HTML: html.String()}, nil
}

// subject names the facts if they are of one kind.
func subject(lines []Line) string {
	for _, l := range lines {
		if l.Title != lines[0].Title {
			return "Several things happened"
		}
	}
	if len(lines) > 1 {
		return lines[0].Title + ", and more like it"
	}
	return lines[0].Title
}

// plain writes a mail as plain text.
func plain(w written) string {
	var b strings.Builder
	for _, l := range w.Lines {
		b.WriteString(l.Title)
		if l.Merchant != "" {
			b.WriteString(" (" + l.Merchant + ")")
		}
		b.WriteString("\n" + l.Text + "\n")
		if l.Link != "" {
			b.WriteString(l.Link + "\n")
		}
		b.WriteString("\n")
	}
	if w.More > 0 {
		b.WriteString("There is more: look at the pages of this service.\n\n")
	}
	b.WriteString("-- \n" + w.Sender + "\n")
	if w.Switches != "" {
		b.WriteString("Choose what you are told of: " + w.Switches + "\n")
	}
	return b.String()
}

// form writes a mail as HTML. The template escapes everything that it is filled with.
var form = template.Must(template.New("").Parse(`<!doctype html>
<html lang="{{.Lang}}"{{if eq .Lang "ar"}} dir="rtl"{{end}}><body style="font-family:sans-serif;line-height:1.5;color:#1c1c1c">
{{range .Lines}}<p><strong>{{.Title}}</strong>{{with .Merchant}} ({{.}}){{end}}<br>{{.Text}}{{with .Link}}<br><a href="{{.}}">{{.}}</a>{{end}}</p>
{{end}}{{if .More}}<p>There is more: look at the pages of this service.</p>
{{end}}<p style="color:#6b6b6b;font-size:small">{{.Sender}}{{with .Switches}}<br><a href="{{.}}">Choose what you are told of</a>{{end}}</p>
</body></html>
`))
