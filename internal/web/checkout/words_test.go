package checkout

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"causeway/internal/pay"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func TestEveryLanguageHasEveryText(t *testing.T) {
	t.Parallel()
	first := languages[0]
	for _, w := range languages {
		if missing := without(first, w); len(missing) > 0 {
			t.Errorf("%s lacks %q", w.Lang, missing)
		}
		if extra := without(w, first); len(extra) > 0 {
			t.Errorf("%s alone has %q", w.Lang, extra)
		}
		for key, text := range w.texts {
			mine, theirs := placeholder.FindAllString(text, -1), placeholder.FindAllString(first.texts[key], -1)
			slices.Sort(mine)
			slices.Sort(theirs)
			if !slices.Equal(slices.Compact(mine), slices.Compact(theirs)) || strings.TrimSpace(text) == "" {
				t.Errorf("%s %s: %q and %q fill in differently", w.Lang, key, text, first.texts[key])
			}
			if w != first && len(text) > 20 && text == first.texts[key] {
				t.Errorf("%s %s is not translated", w.Lang, key)
			}
		}
	}
}

func without(a, b *words) (missing []string) {
	for _, key := range slices.Sorted(maps.Keys(a.texts)) {
		if _, there := b.texts[key]; !there {
			missing = append(missing, key)
		}
	}
	return missing
}

// named finds the keys in a page: .T "to", .T .MemoWord, or .T (print "state." .State).
var named = regexp.MustCompile(`\.T (?:\(print ([^)]+)\)|("[^"]+"|\.\w+))`)

// values are all values of the fields in keys.
var values = map[string][]string{
	".State":    {string(waiting), string(seen), string(partial), string(paid), string(overpaid), string(expired), string(reversed)},
	".MemoWord": {"memo", "tag"},
	".Why":      {"missing", "busy", "away", "refused"},
	".Status":   {string(pay.RefundPending), string(pay.RefundCompleted), string(pay.RefundFailed)},
	".Wrong":    {"address", "memo", "later", "figures"},
}

// keysOf returns the keys a page may ask for, each made of every value of its field.
func keysOf(t *testing.T, page string) (keys []string) {
	t.Helper()
	for _, found := range named.FindAllStringSubmatch(page, -1) {
		made := []string{""}
		for _, part := range strings.Fields(found[1] + found[2]) {
			ends := []string{strings.Trim(part, `"`)}
			if strings.HasPrefix(part, ".") {
				if ends = values[part]; ends == nil {
					t.Errorf("%s: the values of %s are not known", found[0], part)
				}
			}
			var longer []string
			for _, begin := range made {
				for _, end := range ends {
					longer = append(longer, begin+end)
				}
			}
			made = longer
		}
		keys = append(keys, made...)
	}
	return keys
}

// Every text is asked for by a page, by its exact key, and every text a page may ask for is there.
func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	pages, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keysOf(t, string(content)) {
			used[key] = true
			if _, there := languages[0].texts[key]; !there {
				t.Errorf("%s wants %q, which is no text", name, key)
			}
		}
	}
	for key := range languages[0].texts {
		if !used[key] {
			t.Errorf("nothing says %q", key)
		}
	}
}

// A key found twice in a file would lose one of its texts.
func TestNoTextStandsTwice(t *testing.T) {
	t.Parallel()
	for _, w := range languages {
		content, err := wordFiles.ReadFile("words/" + w.Lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		tokens, n := json.NewDecoder(strings.NewReader(string(content))), 0
		for {
			if _, err := tokens.Token(); err != nil {
				break
			}
			n++
		}
		if n != 2*len(w.texts)+2 {
			t.Errorf("%s: %d tokens of %d texts", w.Lang, n, len(w.texts))
		}
	}
}

func TestLanguageOfAVisitor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, header, want string }{
		{"", "", "en"}, {"", "pt-BR,pt;q=0.9,en;q=0.8", "pt"}, {"", "es-AR", "es"}, {"", "pt-PT", "pt"}, {"", "he,es;q=0.5", "es"},
		{"", "he", "en"}, {"", "ja", "ja"}, {"", "zh-TW", "zh"}, {"", "ar-EG", "ar"}, {"", ";;;", "en"}, {"", strings.Repeat("x,", 5000), "en"}, {"lang=es", "pt", "es"}, {"lang=xx", "pt", "pt"},
		{"", "de;q=0.9, pt;q=0.1, en;q=0.5", "de"}, {"", "he;q=0.9, pt;q=0.1, en;q=0.5", "en"},
	} {
		r := httptest.NewRequest("GET", "/pay/x?"+c.query, nil)
		r.Header.Set("Accept-Language", c.header)
		if got := wordsFor(r).Lang; got != c.want {
			t.Errorf("%q %q: %s, want %s", c.query, c.header, got, c.want)
		}
	}
	if _, err := languages[0].say("nothing"); err == nil {
		t.Error("a text that is not there is no error")
	}
}

// A value in a text from right to left keeps its own direction, and the page has the text's.
func TestATextFromRightToLeft(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]string{"ar": "ادفع \u206825\u2069 \u2068USDT\u2069", "fr": "Payer 25 USDT"} {
		r := httptest.NewRequest("GET", "/pay/x?lang="+lang, nil)
		w := wordsFor(r)
		got, err := w.say("title.waiting", "amount", "25", "token", "USDT")
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", lang, got, err)
		}
		if (w.Dir == "rtl") != (lang == "ar") {
			t.Errorf("%s runs %s", lang, w.Dir)
		}
	}
}
