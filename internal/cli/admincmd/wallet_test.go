package admincmd

import (
	"context"
	"errors"
	"io"
	"testing"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/onchain"
)

// An unreadable --difference is bad usage before anything is opened: opening may change the books.
func TestADifferenceIsReadBeforeAnythingIsOpened(t *testing.T) {
	t.Parallel()
	opened := 0
	open := func(context.Context, *settings.Settings) (*onchain.Operator, func() error, error) {
		opened++
		return nil, nil, errors.New("nobody is there")
	}
	var run commandtest.Runner = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		l := command.New([]string{"DATABASE_URL=postgres://nowhere/books", "REDIS_URL=redis://nowhere", "SECRETS_KEY=" + commandtest.SecretsKey},
			stdout, stderr)
		return l.Run(ctx, l.Tree("", Command(l, open)), args)
	}
	assign := []string{"admin", "wallet", "assign", "Tron", "T", "--payout", "0199f0c2-6f1e-7c3a-9d55-1f6f2f1c0a03", "--data-dir", t.TempDir()}
	for _, bad := range []string{"much", "", "1e9", "-1e9", "1E-3", "+1", "--1", "-", ".5", "1.", "0x1", nines(31), "-1." + nines(37)} {
		if code, stdout, stderr := run.Call(t, append(assign, "--difference", bad)...); code != command.ExitUsage || stdout != "" || opened > 0 {
			t.Errorf("%q: exit code %d, %q, opened %d times", bad, code, stdout+stderr, opened)
		}
	}
	for _, plain := range []string{"0", "2", "1.5", "-1.5"} {
		opened = 0
		if code, _, stderr := run.Call(t, append(assign, "--difference", plain)...); code != command.ExitFailed || opened != 1 {
			t.Errorf("%q: exit code %d, %q, opened %d times", plain, code, stderr, opened)
		}
	}
}
