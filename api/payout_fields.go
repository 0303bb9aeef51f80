package api

import (
	"strings"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
)

// payoutDraft is one item of a request on its way through the checks. problem is its first refusal.
type payoutDraft struct {
	index    int
	object   input.Object
	payout   pay.Payout
	network  string // as sent, a name or an alias
	memo     *string
	fiat     string // as sent
	token    *pay.Token
	amount   decimal.Decimal // A of addendum §6: the selected amount, cut to the precision
	usd      decimal.Decimal // the debit in USD, for the key's daily limit; zero without one, or without a quote
	problem  *pay.Error
	readable bool // the item is an object
	counted  bool // passed everything up to the address: its amount counts for the summed check
}

// payoutField is one field: the message when it is wrong, and how it is read.
type payoutField struct {
	name     string
	required bool
	wrong    string
	read     func(d *payoutDraft) input.Found
}

// payoutFields is the validation of an item, field by field (api-v1 §Payout request object). Amounts are not part of it:
// they have codes of their own.
var payoutFields = []payoutField{
	{"wallet", true, "must be a text of 20 to 120 characters", (*payoutDraft).readWallet},
	{"crypto_currency", true, "must be a token symbol", (*payoutDraft).readToken},
	{"process_by", true, "must be crypto_amount or fiat_amount", (*payoutDraft).readProcessBy},
	{"reference_id", true, "must be a text of 1 to 255 characters or an integer", (*payoutDraft).readReference},
	{"network", true, "must be a network name", (*payoutDraft).readNetwork},
	{"feetakenfromamount", true, "must be 0 or 1", (*payoutDraft).readFeeFrom},
	{"webhook_url", true, "must be a text of at most 756 characters", (*payoutDraft).readWebhook},
	{"fiat_currency", false, "must be a fiat code", (*payoutDraft).readFiat},
}

// message names the fault of a field. A reference may be an integer, and a flag a number.
func (f *payoutField) message(o input.Object) string {
	if f.name == "reference_id" || f.name == "feetakenfromamount" {
		return f.wrong
	}
	return input.NotText(o, f.name, f.wrong)
}

// validate reads the fields; missing and wrong name their faults.
func (d *payoutDraft) validate() (missing, wrong input.FieldErrors) {
	missing, wrong = input.FieldErrors{}, input.FieldErrors{}
	for i := range payoutFields {
		f := &payoutFields[i]
		switch f.read(d) {
		case input.Wrong:
			wrong.Add(f.name, f.message(d.object))
		case input.Absent:
			if f.required {
				missing.Add(f.name, "is required")
			}
		}
	}
	d.payout.CustomerInfo = customerInfo(d.object, wrong)
	d.readMemo(wrong)
	if input.NamesDryRun(d.object) {
		wrong.Add(input.DryRun, "is a parameter of the query, not a field")
	}
	return missing, wrong
}

func (d *payoutDraft) readWallet() input.Found {
	text, found := d.object.Text("wallet")
	d.payout.Wallet = strings.TrimSpace(text)
	return demand(found, input.Within(d.payout.Wallet, 20, 120))
}

func (d *payoutDraft) readToken() (found input.Found) {
	d.payout.Token, found = d.object.Text("crypto_currency")
	return demand(found, d.payout.Token != "")
}

func (d *payoutDraft) readProcessBy() input.Found {
	text, found := d.object.Text("process_by")
	d.payout.ProcessBy = pay.ProcessBy(text)
	return demand(found, d.payout.ProcessBy == pay.ByCrypto || d.payout.ProcessBy == pay.ByFiat)
}

// readReference keeps the reference only when it is usable, so a refusal can repeat it.
func (d *payoutDraft) readReference() input.Found {
	text, found := d.object.TextOrInteger("reference_id")
	found = demand(found, input.Within(text, 1, longestReference) && strings.TrimSpace(text) != "")
	if found == input.Given {
		d.payout.ReferenceID = text
	}
	return found
}

func (d *payoutDraft) readNetwork() (found input.Found) {
	d.network, found = d.object.Text("network")
	return demand(found, d.network != "")
}

func (d *payoutDraft) readFeeFrom() (found input.Found) {
	d.payout.FeeFromAmount, found = d.object.Bit("feetakenfromamount")
	return found
}

// readWebhook leaves the rule for addresses to webhooks.URLPolicy: it may have to ask a resolver.
func (d *payoutDraft) readWebhook() (found input.Found) {
	d.payout.WebhookURL, found = d.object.Text("webhook_url")
	return found
}

func (d *payoutDraft) readFiat() (found input.Found) {
	d.fiat, found = d.object.Text("fiat_currency")
	return found
}

// readMemo wants 8 to 15 digits for any token; on Ripple they must be a destination tag.
func (d *payoutDraft) readMemo(wrong input.FieldErrors) {
	d.memo = memoIn(d.object, wrong)
	n, ok := pay.NetworkCalled(d.network)
	if d.memo == nil || !ok || wrong["memo"] != "" {
		return
	}
	if problem := memoProblem(n, *d.memo); problem != "" {
		wrong.Add("memo", problem)
	}
}

// demand turns a given value into Wrong if it does not hold.
func demand(found input.Found, holds bool) input.Found {
	if found == input.Given && !holds {
		return input.Wrong
	}
	return found
}
