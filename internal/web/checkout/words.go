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
	Dir   string // as in <html dir>: ltr or rtl
	Name  string // of the language, in itself
	marks pages.Marks
	texts map[string]string
}

// languages are those of the page, the one for everybody else first.
var languages = []*words{
	mustReadWords("en", "English"), mustReadWords("es", "Español"), mustReadWords("pt", "Português"), mustReadWords("de", "Deutsch"),
	mustReadWords("fr", "Français"), mustReadWords("it", "Italiano"), mustReadWords("tr", "Türkçe"), mustReadWords("ru", "Русский"),
	mustReadWords("ar", "العربية"), mustReadWords("zh", "中文"), mustReadWords("ja", "日本語"), mustReadWords("ko", "한국어"),
}

var matcher = language.NewMatcher(tags())

// tags are the tags of the languages, in their order.
func tags() []language.Tag {
	out := make([]language.Tag, len(languages))
	for i, w := range languages {
		out[i] = language.Make(w.Lang)
	}
	return out
}

// direction is how a language is written: only Arabic runs from right to left here.
func direction(lang string) string {
	if lang == "ar" {
		return "rtl"
	}
	return "ltr"
}

func mustReadWords(lang, name string) *words {
	w := &words{Lang: lang, Dir: direction(lang), Name: name}
	content, err := wordFiles.ReadFile("words/" + lang + ".json")
	if err == nil {
		err = json.Unmarshal(content, &w.texts)
	}
	if err != nil {
		panic(fmt.Errorf("words of %s: %w", lang, err)) // they are part of the binary
	}
	return w
}

// What stands between these has a direction of its own, and none on the text around it (Unicode, annex 9).
const isolate, endIsolate = "\u2068", "\u2069"

// say returns the text of a key, filled in with pairs of name and value. In a text from right to left each value keeps its own direction.
func (w *words) say(key string, pairs ...string) (string, error) {
	text, ok := w.texts[key]
	if !ok {
		return "", fmt.Errorf("%s has no text for %q", w.Lang, key)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
		if w.Dir == "rtl" {
			pairs[i+1] = isolate + pairs[i+1] + endIsolate
		}
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
