package api

import (
	"testing"

	"causeway/internal/proof/contract"
)

// A network is asked for by any spelling, kept and answered by its name, and filtered by the name alone.
func TestNetworksAreAnsweredByName(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Network names (canonical): Whatever the service says itself", "api-v1 §Versioning: added · Network aliases",
		"api-v1 §Request-level errors: invalid_network_filter", "api-v1 §Request-level errors: invalid_format")
	s := newShop(t)
	status, created := s.payin("network", `"TRC_20"`)
	if status != 200 {
		t.Fatal(created)
	}
	id := created.at("data.internal_reference").(string)
	s.credit(id, "tx-1", true)
	created.wants(t, map[string]any{"data.network": "Tron"})
	s.get("/v1/check-payin/"+id).wants(t, map[string]any{"deposit.network": "Tron", "deposit.payments.0.network": "Tron"})
	s.get("/v1/list-payin?network=Tron").wants(t, map[string]any{"meta.total": 1, "deposits.0.network": "Tron", "meta.filters.network": "Tron"})
	s.get("/v1/statements?network=Tron").wants(t, map[string]any{"meta.total": 3, "statements.0.network": "Tron", "meta.filters.network": "Tron"})
	for _, spelled := range []string{"tron", "TRON", "trc20", "TRC_20", "Tron%20"} {
		for path, code := range map[string]string{"/v1/list-payin": "invalid_network_filter", "/v1/statements": "invalid_format"} {
			if status, got := s.call("GET", path+"?network="+spelled, ""); status != 400 || got.code() != code {
				t.Errorf("%s by %s: %d %v", path, spelled, status, got)
			}
		}
	}
}
