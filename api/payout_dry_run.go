package api

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PayoutRehearsal is the answer to a dry run of POST /v1/payout: what the request would have been answered with, marked
// (api-v1 §Payout dry run).
type PayoutRehearsal struct {
	Message string            `json:"message"`
	DryRun  bool              `json:"dry_run"`
	Summary PayoutSummary     `json:"summary"`
	Results []RehearsedResult `json:"results"`
}

// RehearsedResult is a RehearsedPayout or a RefusedPayout.
type RehearsedResult interface{ created() bool }

// RehearsedPayout is the result of an item that would be created. There is no payout that internal_reference could name.
type RehearsedPayout struct {
	CreatedPayout
	InternalReference *string `json:"internal_reference"` // null
}

const dryRunName = "dry_run"

// dryRun reports whether a request for payouts is a dry run. Whatever else looks like one is refused, however it is written
// and wherever it stands, so that no slip of the pen moves money.
func dryRun(c *Call) (bool, error) {
	var said []string
	for part := range strings.SplitSeq(c.Request.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if text, _ := unescaped(name); text != dryRunName {
			if resemblesDryRun(name, value) {
				return false, errDryRun
			}
			continue
		}
		text, ok := unescaped(value)
		if !ok {
			return false, errDryRun
		}
		said = append(said, text)
	}
	switch {
	case said == nil:
		return false, nil
	case len(said) > 1:
		return false, errDryRun
	case said[0] == "1" || said[0] == "true":
		return true, nil
	case said[0] == "0" || said[0] == "false":
		return false, nil
	}
	return false, errDryRun
}

// resemblesDryRun reports whether a name has dry in it, or the letters of name and value together have dryrun in them. A laundry
// does not resemble it.
func resemblesDryRun(name, value string) bool {
	return hasDry(decodedFully(name)) || strings.Contains(lettersOf(name)+lettersOf(value), lettersOf(dryRunName))
}

// otherWords end in dry and mean something else. Where a capital begins dry, it is a word.
var otherWords = []string{"laundry", "Laundry", "LAUNDRY", "foundry", "Foundry", "FOUNDRY", "sundry", "Sundry", "SUNDRY"}

// hasDry reports whether a text has dry in it that is not the end of another word. It is read by hand, since there may be a MiB of it.
func hasDry(text string) bool {
	for i := range len(text) - 2 {
		if lower(text[i]) == 'd' && lower(text[i+1]) == 'r' && lower(text[i+2]) == 'y' &&
			!slices.ContainsFunc(otherWords, func(word string) bool { return strings.HasSuffix(text[:i+3], word) }) {
			return true
		}
	}
	return false
}

// lower is an ASCII letter in lower case.
func lower(c byte) byte { return c | ('a' - 'A') }

// namesDryRun reports whether an item has a member, not null, whose name is dry_run or resembles it. The names are looked at
// together, with a letter and a blank between them, since a body has room for a hundred thousand.
func namesDryRun(o Object) bool {
	if o.Raw(dryRunName) != nil {
		return true
	}
	if !o.others {
		return false
	}
	var names []byte
	for m := membersOf(o.text); m.next(); {
		if bytes.ContainsAny(m.name, `dD%\`) && notNull(m.value) != nil { // no other text has dry in it
			names = append(appendName(names, m.name), "X "...)
		}
	}
	return resemblesDryRun(string(names), "")
}

var errDryRun = wrongFields(dryRunName, "must be written dry_run, once, and be 1, true, 0 or false")

// lettersOf are the letters of a text in lower case, also when it was percent-encoded more than once.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, decodedFully(text))
}

// decodedFully decodes what was percent-encoded up to three times.
func decodedFully(text string) string {
	for range 3 {
		text = percentDecoded(text)
	}
	return text
}

// percentDecoded is a text with what is percent-encoded ASCII in it decoded, and a blank for what is not ASCII.
func percentDecoded(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			if c = fromHex(text[i+1])<<4 | fromHex(text[i+2]); c >= utf8.RuneSelf {
				c = ' '
			}
			i += 2
		}
		out = append(out, c)
	}
	return string(out)
}

// appendName adds a quoted JSON name without its quotes and escapes.
func appendName(to, quoted []byte) []byte {
	for text := quoted[1 : len(quoted)-1]; len(text) > 0; {
		if text[0] != '\\' {
			to, text = append(to, text[0]), text[1:]
			continue
		}
		r, size := escape(text)
		to, text = utf8.AppendRune(to, r), text[max(size, 1):]
	}
	return to
}

// rehearse answers a dry run: every check of a real request, in the same order and by the same code, up to what the
// database would decide. Nothing is recorded, and an Idempotency-Key neither claimed nor answered from.
func (p *Payouts) rehearse(c *Call) error {
	batch, err := p.read(c)
	if err != nil {
		return err
	}
	if err := p.enough(c.Context(), batch); err != nil {
		return err
	}
	outcomes, err := p.Store.RehearsePayouts(c.Context(), batch.records())
	if err != nil {
		return err
	}
	answer, err := batch.answer(outcomes)
	if err != nil {
		return err
	}
	if err := c.confirm(); err != nil {
		return err
	}
	return c.JSON(answer.status(), rehearsalOf(answer))
}

func rehearsalOf(a *PayoutAnswer) *PayoutRehearsal {
	out := &PayoutRehearsal{a.Message, true, a.Summary, make([]RehearsedResult, len(a.Results))}
	for i, r := range a.Results {
		out.Results[i] = r
		if p, ok := r.(*CreatedPayout); ok {
			out.Results[i] = &RehearsedPayout{CreatedPayout: *p}
		}
	}
	return out
}
