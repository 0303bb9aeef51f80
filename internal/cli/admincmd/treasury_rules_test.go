package admincmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
)

// A rule is made with usual values, changed field by field, and removed, each with its audit row.
//
// Covers operator §Admin: causeway admin treasury rules list
// Covers operator §Admin: causeway admin treasury rules set
// Covers operator §Admin: causeway admin treasury rules remove
// Covers operator §Admin: treasury rules set makes
// Covers operator §Admin: Fields of treasury rules set
func TestRulesOfTheTreasury(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"admin", "treasury", "rules", "set", "trc20", "USDT"}
	var rule map[string]any
	s.Refused(command.ExitUsage, "the first rule of USDT on Tron needs sweep_min", append(set, "hot_floor=100")...)
	s.Do(&rule, append(set, "sweep_min=20.5")...)
	want := map[string]any{"network": "Tron", "token": "USDT", "sweep_min": "20.5", "max_fee_percent": "2", "patience": "24h0m0s", "hot_floor": "0",
		"hot_target": "0", "hot_ceiling": nil, "paused": false}
	require.Equal(t, want, rule)
	s.Do(&rule, append(set, "hot_floor=1000", "hot_target=5000", "hot_ceiling=12000", "patience=90m", "max_fee_percent=1.5", "paused=on")...)
	for name, value := range map[string]any{"hot_floor": "1000", "hot_target": "5000", "hot_ceiling": "12000", "patience": "1h30m0s",
		"max_fee_percent": "1.5", "paused": true} {
		want[name] = value
	}
	require.Equal(t, want, rule)
	audit := s.LastAudit()
	require.Equal(t, []string{"treasury.rule.set", "treasury:USDT@Tron"}, []string{audit.Action, audit.Subject})
	require.True(t, strings.Contains(string(audit.Before), `"paused": false`) && strings.Contains(string(audit.After), `"paused": true`))

	var all []map[string]any
	s.Do(&all, "admin", "treasury", "rules", "list")
	require.Equal(t, []map[string]any{want}, all)
	s.Do(&rule, append(set, "hot_ceiling=none")...)
	require.Nil(t, rule["hot_ceiling"])
	s.Do(&rule, "admin", "treasury", "rules", "remove", "Tron", "USDT")
	s.Refused(command.ExitFailed, "there is no rule of USDT on Tron", "admin", "treasury", "rules", "remove", "Tron", "USDT")
	s.Do(&all, "admin", "treasury", "rules", "list")
	require.Empty(t, all)
}

// What a rule cannot be is refused with what was sent and what is allowed.
//
// Covers operator §Admin: Fields of treasury rules set
func TestRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"admin", "treasury", "rules", "set", "Tron", "USDT"}
	for sent, says := range map[string]string{
		"sweep_min=0":                             "sweep_min must be above zero",
		"sweep_min=-1":                            `sweep_min: "-1" is not a plain number`,
		"sweep_min=0.0000001":                     "sweep_min: 0.0000001 has more than 6 decimals",
		"sweep_min=1 max_fee_percent=0":           "max_fee_percent must be above zero, and 100 at most",
		"sweep_min=1 max_fee_percent=101":         "101 is more than 100 percent",
		"sweep_min=1 patience=-1h":                `patience: "-1h" is not a time from 0s to 720h`,
		"sweep_min=1 patience=721h":               `"721h" is not a time from 0s to 720h`,
		"sweep_min=1 hot_ceiling=0":               "hot_ceiling must be above zero, or none",
		"sweep_min=1 hot_ceiling=5 hot_target=10": "hot_ceiling 5 is less than hot_target 10",
		"sweep_min=1 hot_ceiling=5 hot_floor=11":  "hot_target 0 is less than hot_floor 11",
		"sweep_min=1 paused=perhaps":              `paused: "perhaps" is not on or off`,
		"sweep_min=1 cold=TXYZ":                   `there is no field "cold": hot_ceiling, hot_floor, hot_target, max_fee_percent, patience, paused, sweep_min are`,
		"sweep_min":                               `"sweep_min" is not NAME=VALUE`,
	} {
		code, stdout, stderr := s.Run.Call(t, append(append(set, strings.Fields(sent)...), "--data-dir", s.Dir)...)
		require.NotEqual(t, command.ExitOK, code, sent)
		require.Empty(t, stdout, sent)
		require.Contains(t, stderr, says, sent)
	}
	require.Empty(t, s.Audited())
	s.Refused(command.ExitFailed, `there is no network "Trom"`, "admin", "treasury", "rules", "set", "Trom", "USDT", "sweep_min=1")
	s.Refused(command.ExitFailed, "there is no token GOLD on Tron", "admin", "treasury", "rules", "set", "Tron", "GOLD", "sweep_min=1")
	s.Refused(command.ExitFailed, `there is no network "Trom"`, "admin", "treasury", "rules", "remove", "Trom", "USDT")
}
