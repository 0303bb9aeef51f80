package solana

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/solana/client"
)

// trialQuestion asks for a trial of a transaction without its signatures.
type trialQuestion struct {
	Commitment string `json:"commitment"`
	Encoding   string `json:"encoding"`
	SigVerify  bool   `json:"sigVerify"`
}

// trial tries a transaction out, and returns the units that it takes. A failure is an ErrUnpayable, unless the hot wallet holds too little by
// now: another of its transactions may have come after the final block.
func (s *Sender) trial(ctx context.Context, v view, d *draft, p payment) (uint64, error) {
	m := d.message(0)
	t := transaction{signatures: make([]signature, m.signers), signed: m.encode()}
	var answer client.Trial
	if err := v.Ask(ctx, &answer, "simulateTransaction", base64.StdEncoding.EncodeToString(t.encode()), trialQuestion{"confirmed", "base64", false}); err != nil {
		return 0, err
	}
	switch units := answer.Value.UnitsConsumed; {
	case !client.Failed(answer.Value.Err) && units <= mostUnits:
		return units, nil
	case !client.Failed(answer.Value.Err):
		return 0, odd("a trial took %d units", units)
	}
	var failed struct{ InstructionError json.RawMessage }
	if err := json.Unmarshal(answer.Value.Err, &failed); err != nil || failed.InstructionError == nil {
		return 0, odd("the trial of a payment: %s", nodes.Words(string(answer.Value.Err))) // nothing was run
	}
	return 0, s.stillCovered(ctx, v, p, fmt.Errorf("%w: %s", chains.ErrUnpayable, why(answer)))
}

// why is a program's reason, as far as it tells one.
func why(answer client.Trial) string {
	for i := len(answer.Value.Logs) - 1; i >= 0; i-- {
		if line, ok := strings.CutPrefix(answer.Value.Logs[i], "Program log: "); ok {
			return nodes.Words(line)
		}
	}
	return nodes.Words(string(answer.Value.Err))
}

// stillCovered returns unpayable, unless the newest block leaves the hot wallet less than the order.
func (s *Sender) stillCovered(ctx context.Context, v view, p payment, unpayable error) error {
	var answer client.Accounts
	question := finalized{Commitment: "confirmed", Encoding: "base64"}
	if err := v.Ask(ctx, &answer, "getMultipleAccounts", []string{p.from.String()}, question); err != nil {
		return err
	}
	if len(answer.Value) != 1 {
		return odd("%d accounts, and one was asked for", len(answer.Value))
	}
	w := watched{at: p.from, owner: p.owner}
	if !p.token.native {
		w.mint, w.program = &p.token.mint, *p.token.program
	}
	held, err := w.holds(answer.Value[0])
	if err != nil {
		return err
	}
	if held < p.units {
		return short(p.token, p.units-held)
	}
	return unpayable
}
