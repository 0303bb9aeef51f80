package panel

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

const (
	mostLines   = 1000      // of a file, without the line of names
	largestFile = 512 << 10 // in bytes
)

// sheet is a file of withdrawals: those asked for, in order, with the line of the file each is on, and why a line cannot be read.
type sheet struct {
	text  string
	asked []*pay.Withdrawal
	at    []int
	wrong []string
}

// sheetColumns are the columns of a file; the last two may be left out.
var sheetColumns = []string{"network", "token", "address", "amount", "memo", "fees_from_amount"}

const neededColumns = 4

// sheetPage asks for a file.
func sheetPage(v *visit) (*room.Page, error) {
	out := &room.Page{Title: "Withdraw by a file", Section: "Withdraw", Up: &room.Link{Text: "Withdraw", Href: Prefix + "withdraw"}}
	if closed := v.closed(); closed != nil {
		out.Parts = []room.Part{*closed}
		return out, nil
	}
	out.Parts = []room.Part{{Note: "Every line is checked, and the sums are shown, before anything is recorded.",
		Forms: []room.Form{{Action: Prefix + "withdraw/sheet/check", Verb: "Check the file", File: true,
			Fields: []room.Field{{Name: "file", Label: "CSV file", Kind: "file", Required: true}},
			Note:   fmt.Sprintf("At most %d lines.", mostLines)}}},
		{Heading: "The file", Note: "The first line names the columns: network, token, address and amount, and if needed memo and fees_from_amount " +
			"(1: the fees are taken from the amount). An amount is a plain decimal of the token.",
			Items: []string{"network,token,address,amount,memo,fees_from_amount\nTron,USDT,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,250.75,,0"}}}
	return out, nil
}

// readSheet reads a file. A refusal says why it is none; what is wrong with one line is kept with it.
func (v *visit) readSheet(text string, form uuid.UUID) (*sheet, error) {
	if len(text) > largestFile {
		return nil, people.Refusal(fmt.Sprintf("the file is larger than %d KiB", largestFile>>10))
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	names, err := r.Read()
	if err != nil {
		return nil, people.Refusal("the file is empty, or no CSV")
	}
	place, err := columnsOf(names)
	if err != nil {
		return nil, err
	}
	out := &sheet{text: text}
	for {
		fields, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && len(out.asked) == 0:
			return nil, people.Refusal("the file has no line but that of the names")
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, people.Refusal("the file is no CSV: " + err.Error())
		case len(out.asked) == mostLines:
			return nil, people.Refusal(fmt.Sprintf("the file has more than %d lines", mostLines))
		}
		line, _ := r.FieldPos(0)
		n, wrong := v.lineOf(fields, place)
		n.Form, n.Line = form, len(out.asked)+1
		out.asked, out.at, out.wrong = append(out.asked, n), append(out.at, line), append(out.wrong, wrong)
	}
}

// columnsOf returns the place of each column; -1 is one that is left out.
func columnsOf(names []string) ([]int, error) {
	for i := range names {
		names[i] = strings.ToLower(strings.TrimSpace(names[i]))
		if !slices.Contains(sheetColumns, names[i]) || slices.Contains(names[:i], names[i]) {
			return nil, people.Refusal(fmt.Sprintf("the first line must name the columns %s, separated by commas: %q is none, or is there twice",
				strings.Join(sheetColumns, ", "), room.Cut(names[i])))
		}
	}
	place := make([]int, len(sheetColumns))
	for i, name := range sheetColumns {
		if place[i] = slices.Index(names, name); place[i] < 0 && i < neededColumns {
			return nil, people.Refusal("the first line does not name the column " + name)
		}
	}
	return place, nil
}

// lineOf reads one line.
func (v *visit) lineOf(fields []string, place []int) (n *pay.Withdrawal, wrong string) {
	field := func(i int) string {
		if place[i] < 0 || place[i] >= len(fields) {
			return ""
		}
		return room.Clean(fields[place[i]])
	}
	n = &pay.Withdrawal{Merchant: v.Merchant, Email: v.Person.Email, Network: field(0), Token: field(1), Wallet: field(2), Amount: field(3), Memo: field(4)}
	named := 0
	for _, p := range place {
		if p >= 0 {
			named++
		}
	}
	switch field(5) {
	case "1":
		n.FeesFrom = true
	case "", "0":
	default:
		wrong = "fees_from_amount must be 0 or 1"
	}
	if len(fields) > named {
		wrong = "the line has more fields than the first one"
	}
	return n, wrong
}
