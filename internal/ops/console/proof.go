package console

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// proven are the acts in need of a fresh proof by the operator, by their path: those sending or releasing money, or letting somebody
// else do so, and the one that says where operators are told. A session left open, or a stolen cookie, is not enough for them.
var proven = map[string]func(*visit) bool{
	"payouts/{id}/approve":             always,
	"payouts/{id}/complete":            always,
	"payouts/{id}/refund":              always,
	"payins/{id}/refund":               always,
	"unclaimed/{id}/assign":            always,
	"merchants/{id}/set":               func(v *visit) bool { return v.given("suspended") == "false" },
	"merchants/{id}/limits":            always,
	"merchants/{id}/limits/clear":      always,
	"merchants/{id}/keys":              func(v *visit) bool { return paysOut(v) },
	"merchants/{id}/people":            always,
	"merchants/{id}/people/reset":      always,
	"merchants/{id}/people/trust":      always,
	"prices":                           always,
	"prices/clear":                     always,
	"assets/{asset}/resume":            always,
	"networks/{network}/resume":        always,
	"networks/{network}/resume-wallet": always,
	"networks/{network}/book":          always,
	"treasury/correct":                 always,
	"treasury/resume":                  always,
	"treasury/raise":                   always,
	"operators":                        always,
	"chats/{kind}":                     always,
	"operators/{name}/enable":          always,
	"operators/{name}/unlock":          always,
}

func always(*visit) bool { return true }

// paysOut reports whether the key of a form could ask for payouts.
func paysOut(v *visit) bool { return slices.Contains(v.keyScopes(), pay.ScopePayoutWrite) }

// proofField is the name of the field with the password or the code.
const proofField = "proof"

// proves reports whether the operator has given the password or a code within the last minutes, or gives it with this form.
// Otherwise it has answered the request by asking for it, and the answer sends the form's values again.
func (c *Console) proves(w http.ResponseWriter, r *http.Request, v *visit) bool {
	if v.session.Fresh {
		return true
	}
	wrong := ""
	if r.PostForm.Has(proofField) {
		err := v.Prove(r.Context(), v.session.Operator, r.PostForm.Get(proofField), c.Origin(r), v.session.Hash)
		switch {
		case err == nil:
			return true
		case errors.Is(err, admin.ErrNoLogin) && v.Coded:
			wrong = "The code is wrong or was used already. Wait for the next one."
		case errors.Is(err, admin.ErrNoLogin):
			wrong = "The password is wrong."
		case errors.Is(err, admin.ErrTooOften), errors.Is(err, admin.ErrLocked):
			wrong = err.Error() + "."
		default:
			c.failed(w, r, err)
			return false
		}
	}
	c.show(w, r, v, askProof(v, wrong), http.StatusForbidden)
	return false
}

// askProof is a page asking for the password, or for a code where the operator logs in with one.
func askProof(v *visit, wrong string) *page {
	asked := field{Name: proofField, Label: "Password", Kind: "password", Required: true, Auto: "current-password"}
	if v.Coded {
		asked = field{Name: proofField, Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}
	}
	f := form{Action: v.URL.Path, Verb: "Continue", Back: back(v.Request), Fields: []field{{Kind: "user", Value: v.Name}, asked}}
	for _, name := range slices.Sorted(maps.Keys(v.PostForm)) {
		if name == proofField || name == "csrf" || name == "back" {
			continue
		}
		for _, value := range v.PostForm[name] {
			f.Fields = append(f.Fields, field{Name: name, Kind: "hidden", Value: value})
		}
	}
	p := &page{Title: "Confirm that it is you", Parts: []part{{
		Note:  "This action sends or releases money, or lets someone do so. Enter your " + strings.ToLower(asked.Label) + " again; it is valid for five minutes.",
		Forms: []form{f}}}}
	if wrong != "" {
		p.Parts = append([]part{{Note: wrong, Mood: "bad"}}, p.Parts...)
	}
	return p
}
