package room

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"causeway/internal/pay"
)

// TransfersPart lists the transfers of a payin.
func TransfersPart(of *pay.PayinTransfers) Part {
	t := &Table{Columns: []Column{{Name: "Seen"}, {Name: "Amount", Right: true}, {Name: "Status"}, {Name: "Transaction"},
		{Name: "Block", Right: true}, {Name: "From", Wide: true}, {Name: "Fees", Right: true, Wide: true}},
		Empty: "Nothing has arrived yet."}
	for i := range of.Shown {
		s := &of.Shown[i]
		block := "mempool"
		if s.Height != nil {
			block = Number(*s.Height)
		}
		stands := Status(string(s.Status))
		if s.Status == pay.TransferSeen {
			stands.Sub = "credited " + s.CreditAfter.String()
		}
		fees := ""
		if s.Status == pay.TransferCredited || s.Status == pay.TransferFinal {
			fees = Grouped(s.RateFee.Add(s.NetworkFee))
		}
		t.Rows = append(t.Rows, []Cell{When(s.SeenAt), Money(s.Amount, s.Token), stands, Copied(s.Txid), Text(block),
			Copied(s.Sender), Text(fees)})
	}
	if more := of.Rest.Omitted() + of.Rest.Seen; more > 0 {
		t.Rows = append(t.Rows, []Cell{Text(fmt.Sprintf("and %d more", more)), Text(""), Text(""), Text(""), Text(""), Text(""), Text("")})
	}
	return Part{Heading: "Transfers", Table: t}
}

// TriesTable lists the tries of a delivery, oldest first.
func TriesTable(tries []pay.Attempt, waits bool) *Table {
	t := &Table{Columns: []Column{{Name: "Time"}, {Name: "Attempt", Right: true}, {Name: "Answer"}, {Name: "Duration", Right: true}},
		Empty: "No attempts yet."}
	if waits {
		t.Empty = "No attempts yet. An earlier webhook of the same payin or payout goes first."
	}
	for _, a := range tries {
		answer := Pill("HTTP "+strconv.Itoa(a.Status), "bad")
		if a.Status/100 == 2 {
			answer.Mood = "good"
		}
		if a.Status == 0 {
			answer = Text(a.Error)
		}
		t.Rows = append(t.Rows, []Cell{When(a.At), Text(strconv.Itoa(a.Attempt)), answer, Text(strconv.Itoa(a.DurationMS) + " ms")})
	}
	return t
}

// AnswersPart shows the receiver's answers to tries it did not take.
func AnswersPart(tries []pay.Attempt) Part {
	out := Part{Heading: "Failed answers"}
	for _, a := range tries {
		if a.AnswerHead+a.AnswerBody != "" {
			out.Items = append(out.Items, fmt.Sprintf("Attempt %d: HTTP %d\n%s\n%s", a.Attempt, a.Status, a.AnswerHead, a.AnswerBody))
		}
	}
	if out.Items == nil {
		out.Note = "None. For an answer that is not 2xx, the headers and the first 2 KiB of the body are kept here."
	}
	return out
}

// Pretty indents a body of ours.
func Pretty(body []byte) string {
	var any json.RawMessage = body
	out, err := json.MarshalIndent(any, "", "  ")
	if err != nil {
		return string(body)
	}
	return string(out)
}

// KeyState is the state of an API key at a moment. A key expires as the API refuses it: from its moment on.
func KeyState(revoked, expires *time.Time, now time.Time, signs, usable bool) Cell {
	switch {
	case revoked != nil:
		return Pill("revoked", "idle")
	case expires != nil && !now.Before(*expires):
		return Pill("expired", "idle")
	case signs && !usable:
		return Pill("no secret", "bad")
	case signs:
		return Pill("signs", "good")
	default:
		return Pill("active", "good")
	}
}
