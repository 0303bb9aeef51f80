package contracttable

import "testing"

// silent are sentences no test can hold the service to: they define a word, point to another place or advise the
// reader. Each has its reason; the page shows it in place of the tests. A sentence a test can notice is not here.
var silent = []struct{ sentence, reason string }{
	{"api-v1 §api-v1: the /v1 interface: What an integrator may rely on", "What the document is about."},
	{"api-v1 §api-v1: the /v1 interface: addendum settles", "Points to another document."},
	{"api-v1 §api-v1: the /v1 interface: operator is the contract", "Points to another document."},
	{"api-v1 §api-v1: the /v1 interface: Code refers to all three", "How the documents are referred to."},
	{"api-v1 §api-v1: the /v1 interface: {base_url} stands", "A notation."},
	{"api-v1 §Other resources: Balances, statements", "Points to another document."},
	{"api-v1 §Payout: The moves are in", "Points to another document."},
	{"api-v1 §Payin: The other moves are in", "Points to another document."},
	{"api-v1 §GET /v1/summary: See Account summary", "Points to another section."},
	{"api-v1 §Other operations: Shapes and missing scopes", "Points to another document."},
	{"api-v1 §Events: 3", "Points to another document."},
	{"api-v1 §Endpoints: Paths are below", "A notation."},
	{"api-v1 §Versioning: Changes are listed by date", "About the list below it, whose rows have tests."},
	{"api-v1 §Extensions: Operations that the original", "Where the section comes from."},
	{"api-v1 §The payers' page: An extension", "Where the section comes from."},
	{"addendum §addendum: what api-v1 leaves open: Where api-v1 is silent", "Which of two documents holds."},
	{"addendum §4: 11", "The last step is the operation itself."},
	{"operator §operator: the contract with whoever runs the service: Go module causeway", "Names."},
	{"addendum §14: An extension", "Where the section comes from."},
	{"addendum §13: Sentences that could be taken", "What the section is about."},
}

// silence returns the reasons of the silent sentences, and fails the test for missing ones, or for those covered by a
// test after all.
func (c *coverage) silence(t *testing.T) {
	t.Helper()
	for _, s := range silent {
		found := named(c.sentences, s.sentence)
		switch {
		case len(found) != 1:
			t.Errorf("%q means %d sentences of docs/spec", s.sentence, len(found))
		case len(c.tests[found[0]]) > 0:
			t.Errorf("%q is said to say no behaviour, and %v to cover it", s.sentence, c.tests[found[0]])
		default:
			c.silent[found[0]] = s.reason
		}
	}
}
