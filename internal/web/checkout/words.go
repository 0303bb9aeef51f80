package checkout

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"causeway/internal/web/pages"
)

//go:embed words
var wordFiles embed.FS

// words are the texts of one language by key. Names in braces are filled in.
type words struct {
	Lang  string // as in <html lang>
	Name  string // of the language, in itself
	marks pages.Marks
	texts map[string]string
}

// languages are those of the page, the one for everybody else first.
var languages = []*words{mustReadWords("en", "English"), mustReadWords("pt", "Português"), mustReadWords("es", "Español")}

var matcher = language.NewMatcher([]language.Tag{language.English, language.Portuguese, language.Spanish})

func mustReadWords(lang, name string) *words {
	w := &words{Lang: lang, Name: name}
	content, err := wordFiles.ReadFile("words/" + lang + ".json")
	if err == nil {
		err = json.Unmarshal(content, &w.texts)
	}
	if err != nil {
		panic(fmt.Errorf("words of %s: %w", lang, err)) // they are part of the binary
	}
	return w
}

// say returns the text of a key, filled in with pairs of name and value.
func (w *words) say(key string, pairs ...string) (string, error) {
	text, ok := w.texts[key]
	if !ok {
		return "", fmt.Errorf("%s has no text for %q", w.Lang, key)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text), nil
}

// wordsFor returns the words of ?lang= if there are any, else those of the browser's language, with the marks of the visitor's region.
func wordsFor(r *http.Request) *words {
	in := *languageFor(r)
	in.marks = marksFor(r, in.Lang)
	return &in
}

func languageFor(r *http.Request) *words {
	asked := r.URL.Query().Get("lang")
	for _, w := range languages {
		if w.Lang == asked {
			return w
		}
	}
	_, i := language.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	return languages[i]
}
