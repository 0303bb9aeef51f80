package deploy

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestDashboardNamesMetrics: a panel on a metric that does not exist is empty, and looks as if all were well. What must be
// on it is there, with its unit.
func TestDashboardNamesMetrics(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct {
			ID                 int
			Title, Description string
			FieldConfig        struct{ Defaults struct{ Unit string } }
			Targets            []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	known, units, ids := exported(t), map[string]string{}, map[int]bool{}
	for _, p := range dashboard.Panels {
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
