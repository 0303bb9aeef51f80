package rippled

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// recorded is a ledger of the main network.
type recordedLedger struct {
	Source       string
	Hash         string `json:"ledger_hash"`
	Data         string `json:"ledger_data"`
	Transactions []struct {
		Blob string `json:"tx_blob"`
		Meta string `json:"meta_blob"`
		Hash string
	}
}

// TestHashesOfRecordedLedgers: the fake's trees and headers have the hashes of real ones.
func TestHashesOfRecordedLedgers(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../chains/ripple/testdata/recorded/ledgers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recordedLedger
	if err := json.Unmarshal(raw, &all); err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	for _, r := range all {
		data := unhex(t, r.Data)
		l := &ledger{index: binary.BigEndian.Uint32(data), coins: int64(binary.BigEndian.Uint64(data[4:])), parent: [32]byte(data[12:44]),
			parentClosed: binary.BigEndian.Uint32(data[108:]), closed: binary.BigEndian.Uint32(data[112:])}
		for _, tx := range r.Transactions {
			id := [32]byte(unhex(t, tx.Hash))
			l.transactions = append(l.transactions, mined{transaction: &transaction{id: id, blob: unhex(t, tx.Blob)}, meta: unhex(t, tx.Meta)})
			if half(prefixTransaction, unhex(t, tx.Blob)) != id {
				t.Errorf("%s: %s has another id", r.Source, tx.Hash)
			}
		}
		l.seal("")
		if want := [32]byte(data[44:76]); l.txs != want {
			t.Errorf("%s: the root is %x, want %x", r.Source, l.txs, want)
		}
		l.accounts = [32]byte(data[76:108]) // made up by the fake
		if got := half(prefixLedger, l.header()); hexOf(got[:]) != r.Hash || hexOf(l.header()) != r.Data {
			t.Errorf("%s: the hash is %x, want %s", r.Source, got, r.Hash)
		}
	}
}

// recording is an answer of a real node, out of a public document.
type recording struct {
	Name, Source string
	Answer       any
}

// replay says how the fake comes to the same answer, and which fields differ for a reason: those of other features.
type replay struct {
	method, less, more string
	params             func(n *Node, sender Key) map[string]any
}

func nothing(*Node, Key) map[string]any { return nil }

var replays = map[string]replay{
	"server_info":    {"server_info", "info.state_accounting", "", nothing},
	"ledger":         {"ledger", "", "", func(*Node, Key) map[string]any { return map[string]any{"ledger_index": "validated", "api_version": 2} }},
	"ledger_current": {"ledger_current", "", "", nothing},
	"fee":            {"fee", "", "", nothing},
	"account_info current": {"account_info", "", "account_flags queue_data.transactions.LastLedgerSequence", func(_ *Node, sender Key) map[string]any {
		return map[string]any{"account": sender.Text(), "ledger_index": "current", "queue": true}
	}},
	"submit": {"submit", "", "validated_ledger_index tx_json.NetworkID tx_json.LastLedgerSequence tx_json.DeliverMax", func(n *Node, sender Key) map[string]any {
		d := n.draft(sender)
		return map[string]any{"tx_blob": hex.EncodeToString(d.blob())}
	}},
	"tx unknown": {"tx", "", "", func(*Node, Key) map[string]any {
		return map[string]any{"transaction": strings.Repeat("AB", 32), "binary": false, "min_ledger": 1, "max_ledger": 2, "command": "tx"}
	}},
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
	if err := decoder.Decode(&recordings); err != nil || len(recordings) != len(replays) {
		t.Fatal(len(recordings), len(replays), err)
	}
	for _, r := range recordings {
		how, ok := replays[r.Name]
		if !ok || r.Source == "" {
			t.Errorf("no replay of %q, or no source", r.Name)
			continue
		}
		n, sender := newNode(t, Options{})
		if r.Name == "account_info current" { // a queue
			n.Load(100, 0)
			submit(t, n, n.draft(sender).blob())
		}
		var ours any
		ask(t, n, how.method, how.params(n, sender), &ours)
		for _, fault := range unlike(r.Answer, ours, "", strings.Fields(how.less), strings.Fields(how.more)) {
			t.Errorf("%s: %s", r.Name, fault)
		}
	}
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
		if _, ok := ours.([]any); !ok {
			return []string{path + " is no list"}
		}
		if o := ours.([]any); len(r) > 0 && len(o) > 0 {
			return unlike(r[0], o[0], path, less, more)
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
		if _, ok := ours.(bool); !ok {
			faults = append(faults, path+" is no truth")
		}
	}
	return faults
}

// likeness is the kind of a text: hex in capitals, a number, or words.
func likeness(text string) string {
	raw, err := hex.DecodeString(text)
	switch {
	case err == nil && len(raw) >= 32 && strings.ToUpper(text) == text:
		return "hex"
	case text != "" && strings.Trim(text, "0123456789") == "":
		return "number"
	}
	return "words"
}
