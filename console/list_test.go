package console_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/admin"
)

// Covers operator §Console: It shows what is held
func TestEveryListIsCSVToo(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.person()
	p.login("ann", password)
	for _, list := range []string{"merchants", "payins", "payouts", "unclaimed", "webhooks", "wallets", "rates", "tokens", "prices", "networks",
		"treasury", "reconcile", "audit", "operators", "approvals"} {
		status, body := p.get("/console/" + list + "?format=csv")
		if line, _, _ := strings.Cut(body, "\n"); status != http.StatusOK || strings.Contains(body, "<html") || !strings.Contains(line, ",") {
			t.Errorf("%s: %d %q", list, status, line)
		}
	}
}

// What is asked for and is not there, nothing has: all of it would look like the answer.
func TestAStatusThatThereIsNotIsNothings(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.payout("salary-7", "250")
	p := d.person()
	p.login("ann", password)
	for path, want := range map[string]bool{"payouts": true, "payouts?status=queued": true, "payouts?status=zz": false} {
		if _, body := p.get("/console/" + path); strings.Contains(body, "salary-7") != want {
			t.Errorf("%s: the payout is there: %v", path, !want)
		}
	}
}
