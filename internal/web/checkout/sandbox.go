package checkout

import (
	"net/http"
	"regexp"

	"github.com/shopspring/decimal"
)

// amountForm is an amount as a person types it; a comma is taken for a dot by nobody, since it may mean thousands.
var amountForm = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,18})?$`)

const longestForm = 4 << 10

// payNow pays a payin from its page: only on a simulated network, and only where Deps.Pay is.
func (c *Checkout) payNow(w http.ResponseWriter, r *http.Request) {
	v := c.named(w, r)
	if v == nil {
		return
	}
	if !v.Payable {
		c.problem(w, r, http.StatusForbidden, "refused")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	text := r.PostFormValue("amount")
	amount, err := decimal.NewFromString(text)
	if err == nil && amountForm.MatchString(text) {
		err = c.Pay(r.Context(), Payment{Network: v.network, Token: v.Token, To: v.Wallet, Memo: v.Memo, Amount: amount})
	}
	if err != nil || !amountForm.MatchString(text) {
		c.page(w, r, http.StatusBadRequest, &shown{view: v, Wrong: true})
		return
	}
	w.Header().Set("Location", v.ID.String()+"?lang="+wordsFor(r).Lang) // relative, under whatever path a proxy serves it
	w.WriteHeader(http.StatusSeeOther)
}
