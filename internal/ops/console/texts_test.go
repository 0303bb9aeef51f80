package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"causeway/internal/ops/admin"
	"causeway/internal/ops/console"
	"causeway/internal/web/panel"
)

// markup ends an attribute and a tag, and a template's action.
const markup = `x"'><i data-attack onfocus=alert(1)>{{.}}`

// foreign has the columns with texts of merchants, payers and browsers, by their table.
var foreign = map[string][]string{
	"merchants": {"name", "email"}, "payins": {"reference_id", "customer_info"}, "payouts": {"reference_id", "customer_info"}, "wallets": {"customer_info"},
	"payment_links": {"label", "description"}, "payment_requests": {"label", "description", "customer_info"}, "deliveries": {"url"}, "transfers": {"sender", "txid"},
	"invitations": {"email"},
}

// TestTextsOfOthersAreTexts shows every page, and each page of a panel, with texts that are markup.
func TestTextsOfOthersAreTexts(t *testing.T) {
	t.Parallel()
	d := open(t)
	ids := d.seen()
	for table, columns := range foreign {
		for _, column := range columns {
			_, err := d.db.NewRaw("update ? set ? = ? || right(md5(ctid::text), 6)", bun.Ident(table), bun.Ident(column), markup).Exec(t.Context())
			must(t, err)
		}
	}
	d.operator("bob", admin.RoleAdmin)
	bob := d.person()
	bob.login("bob", password)
	ids["merchants/{id}"], ids["merchants/{id}/keys"] = d.merchant.String(), d.merchant.String()+"/keys"
	ids["tokens/{symbol}/{network}"], ids["unclaimed/{id}"] = "USDT/Tron", ids["payins/{id}"] // no transfer is unclaimed
	escaped := 0
	looked := func(path string) {
		status, page := bob.get("/console/" + path)
		if status != http.StatusOK && !strings.HasPrefix(path, "unclaimed/") || strings.Contains(page, "<i data-attack") {
			t.Errorf("%s shows %d %s", path, status, page)
		}
		escaped += strings.Count(page, "&lt;i data-attack")
	}
	for _, path := range console.Paths() {
		looked(at(strings.TrimSuffix(path, "{$}"), ids))
	}
	for _, path := range panel.Looked() {
		looked("merchants/" + d.merchant.String() + "/panel/" + at(path, ids))
	}
	if escaped < 20 {
		t.Errorf("%d texts were shown", escaped)
	}
}
