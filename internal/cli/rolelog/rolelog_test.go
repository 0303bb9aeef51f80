package rolelog_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/rolelog"
	"causeway/internal/cli/settings"
)

// Covers operator §Settings: LOG_FORMAT
func TestLogMasksSecrets(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		s, err := settings.ReadAlone([]string{"LOG_FORMAT=" + format}, t.TempDir())
		require.NoError(t, err)
		var out bytes.Buffer
		fields := logrus.Fields{"password": "hunter2", "url": "postgres://me:hunter2@db", "merchant_id": "m1"}
		rolelog.New(s, &out).WithFields(fields).Info("a key cw_live_hunter2hunter2, one cw_test_hunter2, whsec_hunter2 and sk_sign_hunter2")
		if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), "m1") || !strings.Contains(out.String(), "info") {
			t.Errorf("logged %s", out.String())
		}
		if json.Valid(out.Bytes()) != (format == "json") {
			t.Errorf("%s is logged as %s", format, out.String())
		}
		if fields["password"] != "hunter2" {
			t.Error("the caller's fields were changed")
		}
	}
}
