package deploy

import (
	"regexp"
	"testing"

	"gopkg.in/yaml.v3"
)

type alerts struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []struct {
			Alert       string            `yaml:"alert"`
			Expr        string            `yaml:"expr"`
			For         string            `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// exported returns the metrics of the operator port.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, file := range []string{"metrics.go", "metrics_queues.go", "metrics_wallets.go", "metrics_treasury.go", "metrics_nodes.go"} {
		for _, found := range regexp.MustCompile(`desc\("([a-z0-9_]+)"`).FindAllStringSubmatch(read(t, "../internal/ops/operator/"+file), -1) {
			known["causeway_"+found[1]] = true
		}
	}
	return known
}

// An alert on an unknown metric never fires.
func TestAlertsNameMetrics(t *testing.T) {
	t.Parallel()
	known := exported(t)
	var rules alerts
	if err := yaml.Unmarshal([]byte(read(t, "alerts.yml")), &rules); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, rule := range rules.Groups[0].Rules {
		if rule.Alert == "" || rule.Annotations["summary"] == "" || rule.Labels["severity"] == "" {
			t.Errorf("%q says too little", rule.Alert)
		}
		for _, metric := range regexp.MustCompile(`causeway_[a-z0-9_]+`).FindAllString(rule.Expr, -1) {
			if checked++; !known[metric] {
				t.Errorf("%s asks for %s, which does not exist", rule.Alert, metric)
			}
		}
	}
	if checked < len(rules.Groups[0].Rules) {
		t.Errorf("only %d metrics in %d rules", checked, len(rules.Groups[0].Rules))
	}
}
