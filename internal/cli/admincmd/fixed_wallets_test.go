package admincmd

import (
	"testing"

	"causeway/internal/cli/command"
)

// Covers operator §Admin: causeway admin fixed-wallets set
func TestFixedWalletBudgets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"admin", "fixed-wallets", "set", "--merchant", s.Merchant()}
	type shown struct {
		Budget *struct {
			Mode   string
			Limit  *int
			Limits map[string]int
		} `json:"fixed_wallets"`
	}
	var global, perType, disabled shown
	s.Do(&global, append(set, "--mode", "global", "--limit", "10")...)
	if global.Budget == nil || global.Budget.Mode != "global" || *global.Budget.Limit != 10 {
		t.Errorf("global %+v", global.Budget)
	}
	s.Do(&perType, append(set, "--mode", "per_type", "evm=5", "tron=0")...)
	if b := perType.Budget; b == nil || b.Limit != nil || len(b.Limits) != 2 || b.Limits["evm"] != 5 {
		t.Errorf("per type %+v", perType.Budget)
	}
	s.Do(&disabled, append(set, "--disable")...)
	if disabled.Budget != nil {
		t.Errorf("disabled %+v", disabled.Budget)
	}
	for _, bad := range [][]string{{}, {"--mode", "global"}, {"--mode", "per_type", "--limit", "1", "evm=1"},
		{"--mode", "global", "--limit", "1", "evm=1"},
		{"--disable", "--mode", "global", "--limit", "1"}, {"--mode", "per_type", "evm"}, {"--disable", "evm=1"}, {"--mode", "some"},
		{"--mode", "per_type", "paper=1"},
		{"--mode", "per_type", "evm=-1"}, {"--mode", "per_type", "evm=x"}, {"--mode", "per_type"}, {"--mode", "global", "--limit", "-1"}} {
		s.Refused(command.ExitUsage, "", append(set, bad...)...)
	}
}
