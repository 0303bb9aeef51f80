package admincmd

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/vault"
)

// paidPayin is a payin of 10 USDT on Ethereum that was paid with 12.
func (s *site) paidPayin(merchant, reference string) string {
	s.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	s.Exec(`insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate, pays_network_fee, network_fee,
		minimum_payment, webhook_url, status, received, expires_at) values (?, ?, ?, '0xabc', 'USDT', 'USDT', 'Ethereum', 'crypto_amount', 10, 'USD', 0, false, 0, 100, '',
		'completed', 12, now())`, id, merchant, reference)
	s.Exec(`insert into transfers (id, network, txid, token, position, sender, address, amount, status, payin_id, credited, counted, credits, height)
		values (gen_random_uuid(), 'Ethereum', ?, 'USDT', 0, 'x', '0xabc', 12, 'final', ?, 12, 12, 1, 7)`, "tx-"+id, id)
	return id
}

// The operator promises a refund, never more than arrived, and the link is one that the API knows. The audit has the act and no link.
//
// Covers operator §Admin: causeway admin payin refund-link
// Covers operator §Admin: causeway admin payin refund-revoke
// Covers operator §Admin: payin refund-link promises
func TestRefundLinkCommands(t *testing.T) {
	t.Parallel()
	const base = "https://pay.example.com"
	s := &site{commandtest.New(t, func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		l := command.New([]string{"PUBLIC_BASE_URL=" + base}, stdout, stderr)
		l.Stdin, l.Drivers = stdin, drivers
		return l.Run(ctx, l.Tree("", Command(l, nil)), args)
	})}
	merchant := s.Merchant()
	payin := s.paidPayin(merchant, "cart-77")
	link := func(more ...string) []string {
		return append([]string{"admin", "payin", "refund-link", "cart-77"}, more...)
	}
	for says, wrong := range map[string][]string{
		"12 USDT may still be refunded": {"--amount", "12.1"}, "all, overpaid, or a plain decimal": {"--amount", "some"}, "nothing of this is left": {"--amount", "-1"},
		"more than the 6 decimals": {"--amount", "1.1234567"}, "nothing of USDC came": {"--amount", "all", "--token", "USDC"},
		"at most 500 characters": {"--amount", "all", "--description", strings.Repeat("d", 501)},
	} {
		code := command.ExitFailed
		if says == "all, overpaid, or a plain decimal" || says == "at most 500 characters" {
			code = command.ExitUsage
		}
		s.Refused(code, says, link(wrong...)...)
	}
	s.Refused(command.ExitFailed, "no payin", "admin", "payin", "refund-link", "cart-78", "--amount", "all")
	s.Refused(command.ExitUsage, "amount", link()...)
	for rule, says := range map[string]string{"update merchants set suspended = true": "suspended", "insert into panel_rules (merchant_id, book_only) select id, true from merchants": "its book only",
		"insert into panel_second_rules (id, merchant_id, above, fiat) select gen_random_uuid(), id, 1, 'USD' from merchants": "second person"} {
		s.Exec(rule)
		s.Refused(command.ExitFailed, says, link("--amount", "all")...)
		s.Exec("update merchants set suspended = false")
		s.Exec("delete from panel_rules")
		s.Exec("delete from panel_second_rules")
	}

	type promised struct {
		ID, Amount, Token, Network, Link string
		Payin                            string `json:"payin_id"`
		Merchant                         string `json:"merchant_id"`
		Reference                        string `json:"reference_id"`
	}
	var over, rest promised
	s.Do(&over, link("--amount", "overpaid", "--description", "Sorry")...)
	require.Equal(t, []string{"2", "USDT", "Ethereum", payin, merchant}, []string{over.Amount, over.Token, over.Network, over.Payin, over.Merchant})
	sealer := vault.NewSealer("payout", []byte(strings.Repeat("\x07", vault.KeySize)))
	id, ours := sealer.RefundOf(strings.TrimPrefix(over.Link, base+"/pay/refund/"))
	require.True(t, ours, over.Link)
	require.Equal(t, over.ID, id.String())
	audit := s.LastAudit()
	require.Equal(t, []string{"refund.link", "merchant:" + merchant}, []string{audit.Action, audit.Subject})
	require.Contains(t, string(audit.After), `"amount": "2"`)
	s.holdsNoSecret(over.Link, strings.TrimPrefix(over.Link, base+"/pay/refund/"))

	s.Do(&rest, link("--amount", "all", "--fees-from-amount")...)
	require.Equal(t, "10", rest.Amount)
	s.Refused(command.ExitFailed, "nothing of this is left", link("--amount", "all")...)
	s.Refused(command.ExitFailed, "0 USDT may still be refunded", link("--amount", "0.5")...)
	var revoked map[string]string
	s.Do(&revoked, "admin", "payin", "refund-revoke", rest.ID)
	require.Equal(t, rest.ID, revoked["revoked"])
	s.Refused(command.ExitFailed, "has ended, or was used", "admin", "payin", "refund-revoke", rest.ID)
	s.Refused(command.ExitFailed, "no refund", "admin", "payin", "refund-revoke", uuid.NewString())
	s.Do(&rest, link("--amount", "3")...)
	require.Equal(t, "3", rest.Amount)
	require.Equal(t, []string{"merchant.create", "refund.link", "refund.link", "refund.revoke", "refund.link"}, s.Audited())
}
