package devcmd

import (
	"io"
	"os"
	"path/filepath"
	"text/template"

	"causeway/internal/cli/integratorcmd"
	"causeway/internal/cli/settings"
)

// banner shows on one screen the addresses of dev and the first commands; they work when pasted (operator §dev).
func (d *Dev) banner(w io.Writer, file *settings.DevFile) {
	simulated := 0
	for _, n := range d.Networks.All() {
		if n.Simulated() {
			simulated++
		}
	}
	_ = bannerText.Execute(w, map[string]any{
		"Dev": file, "Simulated": simulated, "Dir": d.settings.DataDir, "Keys": filepath.Join(d.settings.DataDir, settings.DevFileName),
		"Key": string(d.settings.HeaderPrefix) + "-Invoke: " + file.APIKey, "Program": os.Args[0], "Recipient": integratorcmd.Recipient,
	})
}

var bannerText = template.Must(template.New("").Parse(`
Causeway is running: {{.Simulated}} simulated networks, a demo merchant with money on them.

  Console    {{.Dev.OperatorURL}}/console/  log in as {{.Dev.OperatorName}}, password {{.Dev.OperatorPass}}
  Dashboard  {{.Dev.OperatorURL}}/queues/   the queues and their tasks
  Panel      {{.Dev.APIURL}}/panel/    of merchants, once you are invited: below
  Inbox      {{.Dev.OperatorURL}}/inbox/    every webhook, as it arrives
  API        {{.Dev.APIURL}}/v1
  Docs       {{.Dev.APIURL}}/docs     guides, reference, OpenAPI, Postman
  Keys       {{.Keys}}

A first payin, and the money for it:

  curl -s {{.Dev.APIURL}}/v1/payin -H '{{.Key}}' -H 'Content-Type: application/json' \
    -d '{"reference_id":"order-'$(date +%s)'","network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount","crypto_amount":"25","webhook_url":"{{.Dev.InboxURL}}/payin"}' \
    | tee /dev/stderr | sed 's/.*"wallet":"\([^"]*\)".*/\1/' \
    | xargs -I WALLET {{.Program}} sandbox pay --data-dir {{.Dir}} --network Tron --token USDT --amount 25 --to WALLET

Its checkout_url is the page for the payer: open it in a browser, and pay there by a click instead.

A first payout:

  curl -s {{.Dev.APIURL}}/v1/payout -H '{{.Key}}' -H 'Content-Type: application/json' \
    -d '{"reference_id":"payout-'$(date +%s)'","network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount","crypto_amount":"5","feetakenfromamount":0,"wallet":"{{.Recipient}}","webhook_url":"{{.Dev.InboxURL}}/payout"}'

A link into the merchant's panel, for you as its owner:

  {{.Program}} admin merchant invite me@example.com --data-dir {{.Dir}} --merchant {{.Dev.MerchantID}} --role owner

Webhooks are in the inbox within a few seconds. Ctrl-C ends everything; data and keys stay.

`))
