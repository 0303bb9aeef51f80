package tronnode

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// recording is an answer of a real node, out of a public document.
type recording struct {
	Name, Source string
	Answer       any
}

// replay says how the fake comes to the same answer, and which fields differ for a reason: those of other features, and those that
// are zero in one of the two answers.
type replay struct {
	path, less, more string
	body             func(w replayed) any
}

// replayed is the chain that all recordings are compared on.
type replayed struct {
	n                     *Node
	sender                Key
	first, transfer, poor string // ids of transactions
	height                int64
}

var replays = map[string]replay{
	"getaccount": {"wallet/getaccount", "assetV2 free_asset_net_usageV2 asset_optimized", "frozenV2.amount account_resource.energy_usage " +
		"account_resource.delegated_frozenV2_balance_for_energy", func(w replayed) any { return object{"address": hexOf(w.sender.Address())} }},
	"getaccountresource": {"wallet/getaccountresource", "assetNetUsed assetNetLimit", "EnergyLimit EnergyUsed tronPowerLimit",
		func(w replayed) any { return object{"address": hexOf(w.sender.Address())} }},
	"triggerconstantcontract": {"wallet/triggerconstantcontract", "", "energy_penalty", balanceQuestion},
	"estimateenergy":          {"wallet/estimateenergy", "", "", balanceQuestion},
	"getcontract":             {"wallet/getcontract", "", "consume_user_resource_percent", contractQuestion},
	"getcontractinfo": {"wallet/getcontractinfo", "contract_state.energy_usage",
		"contract_state.energy_factor smart_contract.consume_user_resource_percent", contractQuestion},
	"gettransactionbyid": {"wallet/gettransactionbyid", "", "", func(w replayed) any { return object{"value": w.transfer} }},
	"gettransactioninfobyblocknum": {"wallet/gettransactioninfobyblocknum", "", "",
		func(w replayed) any { return object{"num": w.height} }},
	"getnowblock":                   {"walletsolidity/getnowblock", "transactions", "", func(replayed) any { return object{} }},
	"getblock":                      {"wallet/getblock", "", "", func(w replayed) any { return object{"id_or_num": decimal(w.height)} }},
	"getnodeinfo":                   {"wallet/getnodeinfo", "configNodeInfo machineInfo", "configNodeInfo peerList cheatWitnessInfoMap", func(replayed) any { return object{} }},
	"getchainparameters":            {"wallet/getchainparameters", "", "", func(replayed) any { return object{} }},
	"getenergyprices":               {"wallet/getenergyprices", "", "", func(replayed) any { return object{} }},
	"gettransactionlistfrompending": {"wallet/gettransactionlistfrompending", "", "", func(replayed) any { return object{} }},
	"getpendingsize":                {"wallet/getpendingsize", "", "", func(replayed) any { return object{} }},
	"getdelegatedresourcev2": {"wallet/getdelegatedresourcev2", "delegatedResource.expire_time_for_energy", "",
		func(w replayed) any {
			return object{"fromAddress": hexOf(w.sender.Address()), "toAddress": hexOf(Rich.Address())}
		}},
	"info of a token's transfer": {"wallet/gettransactioninfobyid", "", "", func(w replayed) any { return object{"value": w.transfer} }},
	"info of a transfer out of energy": {"wallet/gettransactioninfobyid", "receipt.net_usage receipt.energy_fee",
		"receipt.energy_usage receipt.net_fee", func(w replayed) any { return object{"value": w.poor} }},
	"info of a transfer of TRX": {"wallet/gettransactioninfobyid", "", "", func(w replayed) any { return object{"value": w.first} }},
	"broadcasthex refused": {"wallet/broadcasthex", "", "", func(w replayed) any {
		d := w.n.draft(w.sender)
		d.ref = &block{number: d.ref.number}
		return object{"transaction": hex.EncodeToString(d.signed(w.sender))}
	}},
	"broadcasttransaction refused": {"wallet/broadcasttransaction", "", "", func(w replayed) any { return unsignedObject(w, "") }},
	"broadcasttransaction taken":   {"wallet/broadcasttransaction", "", "", func(w replayed) any { return unsignedObject(w, "signed") }},
	"constant call of no contract": {"wallet/triggerconstantcontract", "", "", func(w replayed) any {
		return object{"owner_address": hexOf(w.sender.Address()), "contract_address": hexOf(KeyOf("nobody").Address()), "data": "00"}
	}},
}

func balanceQuestion(w replayed) any {
	return object{"owner_address": hexOf(w.sender.Address()), "contract_address": contractHex(), "function_selector": "balanceOf(address)",
		"parameter": strings.Repeat("0", 24) + hexOf(w.sender.Address())[2:]}
}

func contractQuestion(replayed) any { return object{"value": contractHex()} }

func contractHex() string {
	a, _ := Address(USDT)
	return hexOf(a)
}

// unsignedObject is a transfer as an object, without its signature unless it is asked for.
func unsignedObject(w replayed, signed string) any {
	d := w.n.draft(w.sender)
	d.expiration += 777
	tx, err := readTransaction(d.signed(w.sender))
	if err != nil {
		panic(err)
	}
	what, _ := tx.order()
	o := printer{}.transaction(tx, what, 0)
	if signed == "" {
		delete(o, "signature")
	}
	return o
}

// TestAnswersLookLikeANodes compares the fields and kinds of the fake's answers with recorded ones.
func TestAnswersLookLikeANodes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/recorded/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var recordings []recording
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&recordings); err != nil {
		t.Fatal(err)
	}
	if len(recordings) != len(replays) {
		t.Errorf("%d recordings, %d replays", len(recordings), len(replays))
	}
	w := replayWorld(t)
	for _, r := range recordings {
		how, ok := replays[r.Name]
		if !ok {
			t.Errorf("no replay of %q", r.Name)
			continue
		}
		if r.Source == "" {
			t.Errorf("%s: no source", r.Name)
		}
		var ours any
		ask(t, w.n, how.path, how.body(w), &ours)
		for _, fault := range unlike(r.Answer, ours, "", strings.Fields(how.less), strings.Fields(how.more)) {
			t.Errorf("%s: %s", r.Name, fault)
		}
	}
}

// replayWorld makes a chain with one transaction of each recorded kind.
func replayWorld(t *testing.T) replayed {
	t.Helper()
	n, sender := newNode(t, Options{Factor: 33_880})
	w := replayed{n: n, sender: sender}
	must(t)(n.Send(Rich, KeyOf("stranger").Text(), trx))
	must(t)(n.Pay(USDT, KeyOf("stranger").Text(), 1))
	must(t)(n.Fund(sender.Text(), 20_000*trx))
	must(t)(n.Fund(KeyOf("fresh").Text(), trx))
	n.Mine(1)
	must(t)(n.Freeze(sender, 15_000*trx))
	n.Mine(1)
	must(t)(n.Lend(sender, Rich.Text(), 100*trx))
	fresh := KeyOf("fresh")
	w.first = must(t)(n.Send(fresh, KeyOf("stranger").Text(), 1))
	w.transfer = send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender)).TxID
	n.Mine(1)
	w.poor = send(t, n, n.transferDraft(sender, 8, trx).signed(sender)).TxID
	must(t)(n.Send(sender, KeyOf("stranger").Text(), 2))
	w.height = n.Mine(1)
	n.Solidify()
	must(t)(n.Send(Rich, KeyOf("stranger").Text(), 3))
	return w
}

// unlike lists the differences of two answers in their fields and the kinds of these.
func unlike(recorded, ours any, path string, less, more []string) []string {
	var faults []string
	switch r := recorded.(type) {
	case map[string]any:
		o, ok := ours.(map[string]any)
		if !ok {
			return []string{path + " is no object"}
		}
		for name, value := range r {
			at := strings.TrimPrefix(path+"."+name, ".")
			other, there := o[name]
			if there && !slices.Contains(more, at) {
				faults = append(faults, unlike(value, other, at, less, more)...)
			} else if !there && !slices.ContainsFunc(less, func(l string) bool { return strings.HasPrefix(at, l) }) {
				faults = append(faults, "lacks "+at)
			}
		}
		for name := range o {
			at := strings.TrimPrefix(path+"."+name, ".")
			if _, there := r[name]; !there && !slices.Contains(more, at) {
				faults = append(faults, "has "+at)
			}
		}
	case []any:
		o, ok := ours.([]any)
		if !ok || len(r) > 0 && len(o) == 0 {
			return []string{path + " is no list, or an empty one"}
		}
		if len(r) > 0 {
			return closest(r[0], o, path, less, more)
		}
	case json.Number:
		if _, ok := ours.(json.Number); !ok {
			faults = append(faults, path+" is no number")
		}
	case string:
		if o, ok := ours.(string); !ok || likeness(r) != likeness(o) {
			faults = append(faults, path+" is not of the kind of "+r)
		}
	case bool:
		if ours != recorded {
			faults = append(faults, path+" is another truth")
		}
	}
	return faults
}

// closest compares an element with the one of ours that is most like it.
func closest(recorded any, ours []any, path string, less, more []string) []string {
	best := unlike(recorded, ours[0], path, less, more)
	for _, o := range ours[1:] {
		if faults := unlike(recorded, o, path, less, more); len(faults) < len(best) {
			best = faults
		}
	}
	return best
}

// likeness is the kind of a text: hex of a fixed length, hex, or words. Documents cut long texts with dots.
func likeness(text string) string {
	raw, err := hex.DecodeString(text)
	if strings.HasSuffix(text, "...") {
		return "hex"
	}
	switch {
	case err != nil || text == "":
		return "words"
	case slices.Contains([]int{2, 8, 20, 21, 32, 65}, len(raw)):
		return decimal(int64(len(raw)))
	}
	return "hex"
}
