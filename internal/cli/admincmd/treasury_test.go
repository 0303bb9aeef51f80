package admincmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/store"
)

// Covers operator §Admin: causeway admin treasury correct
// Covers operator §Admin: treasury correct makes
func TestTreasuryCorrection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	correct := []string{"admin", "treasury", "correct", "--network", "trc20", "--reason", "rebase", "--asset", "USDT", "--amount"}
	var c struct{ Network, Amount string }
	s.Refused(command.ExitFailed, "no look at Tron has ended yet", append(correct, "1.5")...)
	s.Do(&c, append(correct, "1.5", "--although", "0")...)
	s.Exec(`insert into reconcile_looks (network, found, corrected, unreached, looked_at) values ('Tron', '[{"asset": "USDT", "want": "1.5", "got": "1.25"}]',
		'{"amounts": {"USDT": "1.5"}}', '', now())`)
	s.Refused(command.ExitFailed, "a difference of -0.25 is open", append(correct, "-1")...)
	s.Do(&c, append(correct, "-0.25")...)
	s.Refused(command.ExitFailed, "-0.25 was corrected since", append(correct, "-0.25")...)
	if c.Network != "Tron" || c.Amount != "-0.25" {
		t.Errorf("%+v", c)
	}
	holdings, err := store.New(s.DB).LedgerHoldings(t.Context())
	require.NoError(t, err)
	if got := holdings["Tron"]["USDT"].String(); got != "1.25" {
		t.Errorf("the ledger holds %s", got)
	}
	once := append(correct, "2", "--although", "0", "--reference", "0190163d-8694-739b-aea5-966c26f8ad91")
	s.Do(&c, once...)
	s.Refused(command.ExitFailed, "made already", once...)
	s.Refused(command.ExitFailed, "made already", append(correct, "3", "--reference", "0190163d-8694-739b-aea5-966c26f8ad91")...)
	s.Refused(command.ExitUsage, "no UUID", append(correct, "2", "--reference", "x")...)
	require.Len(t, s.Audited(), 3)
	s.Refused(command.ExitFailed, "zero", append(correct, "0")...)
	s.Refused(command.ExitUsage, "plain number", append(correct, "1e3")...)
	s.Refused(command.ExitUsage, "plain number", append(correct, "2", "--although", "none")...)
	s.Refused(command.ExitFailed, "no asset", "admin", "treasury", "correct", "--network", "Tron", "--reason", "x", "--asset", "XYZ", "--amount", "1")
	s.Refused(command.ExitFailed, "no USDT on Bitcoin", "admin", "treasury", "correct", "--network", "Bitcoin", "--reason", "x", "--asset",
		"USDT", "--amount", "1", "--although", "0")
	s.Exec("delete from tokens where symbol = 'USDT' and network = 'Tron'")
	s.Do(&c, append(correct, "-0.5", "--although", "-2")...) // the difference still in the books there
	s.Refused(command.ExitUsage, "reason", "admin", "treasury", "correct", "--network", "Tron", "--asset", "USDT", "--amount", "1")
}
