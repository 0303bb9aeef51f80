package api

import (
	"regexp"
	"strconv"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
)

// Fields of both payins and payouts (api-v1 §Payout request object, §Payin request object, §Limits).

const (
	longestReference = 255
	longestCustomer  = 200
)

// customerInfo reads customer_info: at most 200 characters without white space; nil when there is none.
func customerInfo(o input.Object, wrong input.FieldErrors) *string {
	text, found := o.Text("customer_info")
	switch {
	case found == input.Absent || text == "" && found == input.Given:
		return nil
	case found == input.Wrong || !input.Within(text, 1, longestCustomer) || !input.Spaceless(text):
		wrong.Add("customer_info", input.NotText(o, "customer_info", "must be at most 200 characters without white space"))
	}
	return &text
}

var memoForm = regexp.MustCompile(`^[0-9]{8,15}$`)

// memoIn reads memo: text of 8 to 15 digits for any token; nil when there is none.
func memoIn(o input.Object, wrong input.FieldErrors) *string {
	text, found := o.Text("memo")
	switch {
	case found == input.Absent || text == "" && found == input.Given:
		return nil
	case found == input.Wrong:
		wrong.Add("memo", "must be text of 8 to 15 digits, in quotes")
	case !memoForm.MatchString(text):
		wrong.Add("memo", "must be 8 to 15 digits")
	}
	return &text
}

// memoProblem says why a memo of digits cannot be used on a network, "" when it can: an XRP destination tag is a number
// of 32 bits (addendum §8).
func memoProblem(network *pay.Network, memo string) string {
	if !network.Tag {
		return ""
	}
	if _, err := strconv.ParseUint(memo, 10, 32); err != nil {
		return "must be a destination tag: a number up to 4294967295"
	}
	return ""
}

// References in paths, in characters. Only those of the check operations have a least length (api-v1 §Request-level errors).
const (
	shortestChecked      = 10
	longestPathReference = 756
)

var (
	errReferenceLength = pay.E(pay.Invalid, "invalid_reference_id", "The reference must have 10 to 756 characters.")
	errReferenceLarge  = pay.E(pay.Invalid, "invalid_reference_id", "The reference must have at most 756 characters.")
)

// checkedReference reads the path parameter of the check operations (api-v1 §Request-level errors); unreadable text is unknown.
func checkedReference(c *Call, unknown *pay.Error) (string, error) {
	return referenceWithin(c, shortestChecked, errReferenceLength, unknown)
}

// anyReference reads the path parameter of our extensions: any reference_id that an account can give is found by it.
func anyReference(c *Call, unknown *pay.Error) (string, error) {
	return referenceWithin(c, 1, errReferenceLarge, unknown)
}

func referenceWithin(c *Call, shortest int, length, unknown *pay.Error) (string, error) {
	reference, readable := c.Param("reference")
	switch {
	case !input.Within(reference, shortest, longestPathReference):
		return "", length
	case !readable:
		return "", unknown
	}
	return reference, nil
}

// exactID reads an id of ours in the one form of our answers: uuid.Parse takes others, without hyphens or in braces.
func exactID(text string) (id uuid.UUID, ok bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len(id.String())
}
