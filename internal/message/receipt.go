package message

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Receipt is a fact for the payer of a payment request: a payment that came, or a refund that was sent.
type Receipt struct {
	Lang   string `json:"lang"` // of the page on which the payer chose; empty for an unknown one
	Order  string `json:"order"`
	Amount string `json:"amount"` // in Token
	Token  string `json:"token"`
	Final  bool   `json:"final"` // of a payment: its network cannot take it back
}

//go:embed receipts.json
var receiptsFile []byte

// receiptWords are the words of receipts, by language and key.
var receiptWords = func() (out map[string]map[string]string) {
	if err := json.Unmarshal(receiptsFile, &out); err != nil {
		panic(fmt.Sprintf("read the words of receipts: %v", err))
	}
	return out
}()

// longestName is how many characters of a merchant's words a receipt has.
const longestName = 100

// ReadReceipt reads the facts of a receipt.
func ReadReceipt(facts string) (r Receipt, err error) {
	if err := json.Unmarshal([]byte(facts), &r); err != nil {
		return r, fmt.Errorf("read a receipt: %w", err)
	}
	if receiptWords[r.Lang] == nil {
		r.Lang = "en"
	}
	return r, nil
}

// Line writes a receipt in the language of its payer.
func (r *Receipt) Line(topic Topic, merchant, link string) Line {
	words, key := receiptWords[r.Lang], "paid"
	if topic == PayerRefunded {
		key = "refunded"
	}
	text := strings.NewReplacer("{merchant}", plainName(merchant), "{order}", plainName(r.Order), "{sum}", r.Amount+" "+r.Token).Replace(words[key])
	switch {
	case topic == PayerRefunded:
	case r.Final:
		text += " " + words["paid.final"]
	default:
		text += " " + words["paid.credited"]
	}
	return Line{Title: words[key+".title"], Text: text, Link: link, Lang: r.Lang}
}

// plainName is a name on one line, as far as a receipt has room for it.
func plainName(text string) string {
	out := []rune(strings.Join(strings.Fields(text), " "))
	return string(out[:min(len(out), longestName)])
}

// WriteReceipts makes the words of a mail to a payer. Nobody but the merchant switches receipts off.
func WriteReceipts(sender string, lines []Line) (*Texts, error) {
	var titles []string
	for _, l := range lines {
		if !slices.Contains(titles, l.Title) {
			titles = append(titles, l.Title)
		}
	}
	return texts(written{Lines: lines, Sender: sender, Lang: lines[0].Lang}, strings.Join(titles, " · "))
}

// MostReceipts is how many receipts a mail names.
const MostReceipts = mostLines
