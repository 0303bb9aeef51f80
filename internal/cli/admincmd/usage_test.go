package admincmd

import (
	"io"
	"strings"
	"testing"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
)

// A mistake in a command line is told in the words of --help: by the names of flags and arguments, without a library's own text.
//
// Covers operator §operator: the contract with whoever runs the service: They exit 0
func TestBadUsageIsSaidInTheWordsOfHelp(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"merchant create":                                      "--name is missing, see causeway admin merchant create --help",
		"merchant create --name":                               "--name needs a value",
		"merchant create Shop":                                 `unexpected argument "Shop", see causeway admin merchant create --help`,
		"merchant create --name Shop --verified=perhaps":       `--verified: "perhaps" is not true or false`,
		"merchant update ID --inactivity-days few":             `--inactivity-days: "few" is not a whole number`,
		"merchant update ID --inactivity-days " + nines(20):    `--inactivity-days: "` + nines(20) + `" is too large`,
		"merchant show":                                        "ID is missing, see causeway admin merchant show --help",
		"merchant show ID other":                               `unexpected argument "other", see causeway admin merchant show --help`,
		"price set":                                            "BASE, QUOTE and PRICE are missing, see causeway admin price set --help",
		"price set BTC":                                        "QUOTE and PRICE are missing, see causeway admin price set --help",
		"price set BTC USD -1":                                 `"-1" is not a plain number like 1.5`,
		"price set BTC -1":                                     "unknown flag: -1",
		"price set BTC USD -x":                                 "unknown flag: -x",
		"limit set ID USD -5.5":                                `"-5.5" is not a plain number like 1.5`,
		"rates set --merchant ID":                              "NAME=VALUE is missing, see causeway admin rates set --help",
		"token set USDT":                                       "NETWORK and NAME=VALUE are missing, see causeway admin token set --help",
		"treasury correct --amount 1":                          "--asset, --network and --reason are missing, see causeway admin treasury correct --help",
		"treasury sweep":                                       "NETWORK is missing, see causeway admin treasury sweep --help",
		"treasury cold Tron":                                   "TOKEN is missing, see causeway admin treasury cold --help",
		"treasury tron stake":                                  "AMOUNT is missing, see causeway admin treasury tron stake --help",
		"wallet assign Tron":                                   "TXID is missing, see causeway admin wallet assign --help",
		"wallet assign Tron T":                                 "--payout or --nobody is missing, see causeway admin wallet assign --help",
		"wallet assign Tron T --payout P --nobody":             "--payout and --nobody cannot be used together",
		"wallet assign Tron T --difference 1 --nobody":         "--difference and --nobody cannot be used together",
		"operator totp ann --code 1 --drop":                    "--code and --drop cannot be used together",
		"wallet assign Tron T --payout P --difference 1e9":     `--difference: "1e9" is not a plain number like 1.5`,
		"fixed-wallets set --merchant ID":                      "--mode or --disable is missing, see causeway admin fixed-wallets set --help",
		"network resume Tron --from top":                       `--from: "top" is not a whole number from 0 to 9223372036854775807`,
		"audit list --limit 0":                                 `--limit: "0" is not a whole number from 1 to 2147483647`,
		"merchant rotate-webhook-secret ID --finish --again":   "--finish and --again cannot be used together",
		"merchant rotate-webhook-secret --finish=no":           `--finish: "no" is not true or false`,
		"key create --merchant ID --scopes a,b --legacy":       "--scopes and --legacy cannot be used together",
		"payout show " + strings.Repeat("REF ", 3):             `unexpected argument "REF", see causeway admin payout show --help`,
		"operator role ann":                                    "ROLE is missing, see causeway admin operator role --help",
		"asset stop --reason why":                              "ASSET is missing, see causeway admin asset stop --help",
		"seed restore --out a --words-file b":                  "--passphrase-file is missing, see causeway admin seed restore --help",
		"seed create --out a --passphrase-file b --words-file": "unknown flag: --words-file",
	} {
		code, stdout, stderr := commandtest.Runner(adminOnly).Call(t, append([]string{"admin"}, strings.Fields(line)...)...)
		if want := "causeway: " + says + "\n"; code != command.ExitUsage || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, %q, not %q", line, code, stdout+stderr, want)
		}
	}
}

// A word like a command or a flag is answered with it; any other word with none.
//
// Covers operator §Help: An unknown command or flag
func TestWhatWasMeantIsAskedFor(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"merchnt":                                `unknown command "merchnt" for "causeway admin", did you mean merchant? see causeway admin --help`,
		"merchnt create --name Shop":             `unknown command "merchnt" for "causeway admin", did you mean merchant? see causeway admin --help`,
		"merchant creat":                         `unknown command "creat" for "causeway admin merchant", did you mean create? see causeway admin merchant --help`,
		"merchant delete":                        `unknown command "delete" for "causeway admin merchant", see causeway admin merchant --help`,
		"payout de REF":                          `unknown command "de" for "causeway admin payout", did you mean decline? see causeway admin payout --help`,
		"merchant create --nam Shop":             "unknown flag: --nam, did you mean --name?",
		"merchant create --preferred_fiat=EUR":   "unknown flag: --preferred_fiat, did you mean --preferred-fiat?",
		"merchant create -name Shop":             "unknown flag: -name, did you mean --name?",
		"merchant create --name Shop --sanbox":   "unknown flag: --sanbox, did you mean --sandbox?",
		"merchant create --name Shop --nonsense": "unknown flag: --nonsense",
		"merchant --nonsense":                    "unknown flag: --nonsense",
	} {
		code, stdout, stderr := commandtest.Runner(adminOnly).Call(t, append([]string{"admin"}, strings.Fields(line)...)...)
		if want := "causeway: " + says + "\n"; code != command.ExitUsage || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, %q, not %q", line, code, stdout+stderr, want)
		}
	}
}

func nines(n int) string { return strings.Repeat("9", n) }

// An empty value is as unreadable as a word in the place of a number.
//
// Covers operator §operator: the contract with whoever runs the service: They exit 0
func TestAnEmptyValueIsBadUsage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	m := s.Merchant()
	for _, c := range []struct {
		says string
		args []string
	}{
		{"name", []string{"merchant", "create", "--name="}},
		{"name", []string{"merchant", "create", "--name=" + strings.Repeat("n", 201)}},
		{"name", []string{"merchant", "update", m, "--name="}},
		{"without any scope", []string{"key", "create", "--merchant", m, "--scopes="}},
		{"without any scope", []string{"key", "create", "--merchant", m, "--scopes=,"}},
		{"lock the key out", []string{"key", "create", "--merchant", m, "--ips="}},
		{"reason", []string{"asset", "stop", "USDT", "--reason", ""}},
		{"reason", []string{"asset", "stop", "USDT", "--reason", " "}},
		{"reason", []string{"treasury", "correct", "--network", "Tron", "--asset", "USDT", "--amount", "1", "--reason", ""}},
		{"not one word", []string{"token", "set", "USDT", "Tron", "variant="}},
	} {
		s.Refused(command.ExitUsage, c.says, append([]string{"admin"}, c.args...)...)
	}
}

// A number is told to be too long, and not to be none.
func TestALongNumberIsSaidToBeLong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Refused(command.ExitUsage, "more than 30 digits before its point", "admin", "price", "set", "BTC", "USD", nines(34))
	s.Refused(command.ExitFailed, "more than 18 decimals", "admin", "price", "set", "BTC", "USD", "1."+nines(34))
	s.Refused(command.ExitFailed, "more than 36 decimals", "admin", "treasury", "correct", "--network", "Tron", "--asset", "USDT",
		"--reason", "x", "--amount", "-1."+nines(37))
}

// unread is a standard input not to be read: somebody may be slow to type.
type unread struct{ *testing.T }

// Read implements io.Reader.
func (u unread) Read([]byte) (int, error) {
	u.Error("standard input was read")
	return 0, io.EOF
}

// Nobody is asked for the password of an impossible operator.
//
// Covers operator §Admin: operator create and operator password
func TestAPasswordIsReadOnceTheRestIsRight(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{command.ExitUsage, `no role "nope"`, []string{"create", "ann", "--role", "nope"}},
		{command.ExitUsage, "an operator's name", []string{"create", "Ann Lee"}},
		{command.ExitUsage, "an operator's name", []string{"create", ""}},
		{command.ExitFailed, `no operator "bob"`, []string{"password", "bob"}},
	} {
		var out, problem strings.Builder
		code := s.Run(t.Context(), append([]string{"admin", "operator", "--data-dir", s.Dir}, c.args...), unread{t}, &out, &problem)
		if code != c.code || out.String() != "" || !strings.Contains(problem.String(), c.says) {
			t.Errorf("%v: exit code %d, %q", c.args, code, out.String()+problem.String())
		}
	}
}
