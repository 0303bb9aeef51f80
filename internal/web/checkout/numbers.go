package checkout

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"causeway/internal/web/pages"
)

// marksOf returns the marks of a locale: a comma before decimals in Brazil, a point in Mexico.
func marksOf(tag language.Tag) pages.Marks {
	tag = latin(tag)
	sample := strings.TrimFunc(message.NewPrinter(tag).Sprint(number.Decimal(1234567.5)), unicode.IsDigit)
	marks := strings.FieldsFunc(sample, unicode.IsDigit)
	return pages.Marks{Group: marks[0], Point: marks[len(marks)-1]}
}

// latin is a locale with the digits 0 to 9: what is shown looks like what is copied.
func latin(tag language.Tag) language.Tag {
	if own, err := tag.SetTypeForKey("nu", "latn"); err == nil {
		return own
	}
	return tag
}

// marksFor returns the marks of a page in a language. A visitor's region counts where it belongs to the page's language: Spanish
// is written with both kinds of marks. English is always written with a point.
func marksFor(r *http.Request, lang string) pages.Marks {
	page := language.Make(lang)
	if page == language.English {
		return marksOf(page)
	}
	asked, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return marksOf(page)
	}
	base, _ := page.Base()
	for _, tag := range asked {
		if own, _ := tag.Base(); own == base {
			return marksOf(tag)
		}
	}
	return marksOf(page)
}

// N writes a plain decimal in the page's language.
func (w *words) N(number string) string { return w.marks.Write(number) }

// fiatText writes an amount with the decimals of its currency, without rounding it: 25.1 USD as 25.10, 2500 JPY as 2500.
func fiatText(amount decimal.Decimal, code string) string {
	places := 2
	if unit, err := currency.ParseISO(code); err == nil {
		places, _ = currency.Standard.Rounding(unit)
	}
	text := amount.String()
	if _, fraction, _ := strings.Cut(text, "."); utf8.RuneCountInString(fraction) > places {
		return text
	}
	return amount.StringFixed(int32(places))
}
