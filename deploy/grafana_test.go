package deploy

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

type dashboard struct {
	Panels []struct {
		ID                 int
		Title, Description string
		FieldConfig        struct{ Defaults struct{ Unit string } }
		Targets            []struct{ Expr, LegendFormat string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboardNamesMetrics: a panel on an unknown metric is empty, and looks as if all were well. The required metrics
// are on it, with their units.
func TestDashboardNamesMetrics(t *testing.T) {
	t.Parallel()
	known, units, ids := exported(t), map[string]string{}, map[int]bool{}
	for _, p := range readDashboard(t).Panels {
		if ids[p.ID] || p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q says too little, or has the number of another", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			metrics := regexp.MustCompile(`causeway_[a-z0-9_]+`).FindAllString(target.Expr, -1)
			if len(metrics) == 0 || target.LegendFormat == "" {
				t.Errorf("%q asks for nothing of ours: %s", p.Title, target.Expr)
			}
			for _, metric := range metrics {
				if !known[metric] {
					t.Errorf("%q asks for %s, which does not exist", p.Title, metric)
				}
				units[metric] = p.FieldConfig.Defaults.Unit
			}
		}
	}
	for _, metric := range []string{"causeway_job_oldest_due_age_seconds", "causeway_webhook_first_attempt_recent_seconds",
		"causeway_broadcasts_unknown",
		"causeway_follower_lag_blocks", "causeway_ledger_drift"} {
		if units[metric] == "" || strings.HasSuffix(metric, "_seconds") != (units[metric] == "s") {
			t.Errorf("%s is shown in %q", metric, units[metric])
		}
	}
}

// TestDashboardTellsWellFromBlind: some metrics have no row when all is well. Their panels then show 0, while the database is
// read. If nothing is scraped, or the database does not answer, they show no figure: neither "No data" for well nor 0 for blind.
func TestDashboardTellsWellFromBlind(t *testing.T) {
	t.Parallel()
	const zero = ` or on() 0 * max(causeway_source_up{source="database"} == 1)`
	rare := map[string]bool{"causeway_ledger_drift": false, "causeway_broadcasts_unknown": false, "causeway_payouts_open": false,
		"causeway_payout_oldest_open_age_seconds": false, "causeway_asset_stopped": false, "causeway_wallet_stopped": false,
		"causeway_follower_halted": false}
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			if strings.Contains(target.Expr, "vector(") {
				t.Errorf("%q shows a figure while nothing is scraped: %s", p.Title, target.Expr)
			}
			metric := regexp.MustCompile(`causeway_[a-z0-9_]+`).FindString(target.Expr)
			if _, is := rare[metric]; !is {
				continue
			}
			rare[metric] = true
			if !strings.HasSuffix(target.Expr, zero) {
				t.Errorf("%q shows no data when all is well: %s", p.Title, target.Expr)
			}
		}
	}
	for metric, shown := range rare {
		if !shown {
			t.Errorf("%s is on no panel", metric)
		}
	}
}
