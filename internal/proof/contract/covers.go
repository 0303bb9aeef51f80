package contract

import (
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Covers says which sentences of the contract the test covers, each by its section and how it begins, such as
// "api-v1 §Payin: pending". For a sentence about an error code, such as "api-v1 §System errors: assign_failed", the test
// must have been answered with that code.
// internal/proof/contracttable reads these calls and writes the table of `make contract`.
func Covers(t testing.TB, sentences ...string) {
	t.Helper()
	t.Cleanup(func() {
		for _, sentence := range sentences {
			code := codeIn(sentence)
			if code != "" && !t.Failed() && !wasSeen(t, code) {
				t.Errorf("the test says that it covers %q and was never answered with %s", sentence, code)
			}
		}
	})
}

var codeSentence = regexp.MustCompile(`^api-v1 §(Authentication and access|[A-Za-z -]+ errors): ([a-z0-9_]+)$`)

// codeIn returns the code of a sentence about one, as saw knows it.
func codeIn(sentence string) string {
	found := codeSentence.FindStringSubmatch(sentence)
	switch {
	case found == nil:
		return ""
	case found[1] == "Payout item errors":
		return ItemPrefix + found[2]
	default:
		return found[2]
	}
}

// seen are the codes answered to each test, by the name of the test.
var (
	seenMu sync.Mutex
	seen   = map[string]map[string]bool{}
)

func saw(t testing.TB, codes []string) {
	seenMu.Lock()
	defer seenMu.Unlock()
	if seen[t.Name()] == nil {
		seen[t.Name()] = map[string]bool{}
	}
	for _, code := range codes {
		seen[t.Name()][code] = true
	}
}

// wasSeen looks at the test, the tests below it, and those above it: fronts are shared between them.
func wasSeen(t testing.TB, code string) bool {
	seenMu.Lock()
	defer seenMu.Unlock()
	for name, codes := range seen {
		related := name == t.Name() || strings.HasPrefix(name, t.Name()+"/") || strings.HasPrefix(t.Name(), name+"/")
		if related && codes[code] {
			return true
		}
	}
	return false
}
