package api

import (
	"net/url"
	"testing"

	"causeway/internal/proof/contract"
)

// A payin is found by the reference sent, white space included, in every lookup by reference: it was kept without.
func TestAPayinIsFoundByTheReferenceThatWasSent(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §13: Who looks a payin up by its reference_id")
	s, id := withMovements(t)
	s.exec("update payins set reference_id = ? where id = ?", "lost-reference-1", id)
	for _, sent := range []string{"lost-reference-1", " lost-reference-1", "lost-reference-1 ", "\tlost-reference-1\n"} {
		for target, found := range map[string]string{
			"/v1/list-payin?reference_id=" + url.QueryEscape(sent): "deposits.0.internal_reference",
			"/v1/check-payin/" + url.PathEscape(sent):              "deposit.internal_reference",
			"/v1/statements?reference_id=" + url.QueryEscape(sent): "statements.0.internal_reference",
		} {
			a := s.ask("GET", target, "")
			a.is(t, 200, "")
			if got := decodeReply(t, a.text).at(found); got != id {
				t.Errorf("%s: %v, want %s", target, got, id)
			}
		}
		subjects, err := s.store.SubjectsCalled(t.Context(), s.merchant, sent)
		if err != nil || len(subjects) != 1 || subjects[0].String() != id {
			t.Errorf("%q: webhooks of %v, %v", sent, subjects, err)
		}
	}
	a := s.ask("GET", "/v1/list-payin?reference_id=%20", "")
	a.is(t, 200, "")
	if found := decodeReply(t, a.text).list("deposits"); len(found) != 0 {
		t.Errorf("white space answers with %d payins", len(found))
	}
}
