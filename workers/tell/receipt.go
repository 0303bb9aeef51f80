package tell

import (
	"fmt"
	"regexp"
	"strings"

	"causeway/internal/message"
	"causeway/internal/store"
)

// isPayer reports whether a message is a receipt.
func isPayer(m *store.Message) bool { return strings.HasPrefix(m.Receiver, store.PayerReceiver) }

// receipt writes a receipt in the language of its payment. Facts that cannot be read are message.ErrRefused: no later try could.
func (w *Worker) receipt(m *store.Message, merchant string) (message.Line, error) {
	r, err := message.ReadReceipt(m.Line)
	if err != nil {
		return message.Line{}, fmt.Errorf("%w: %w", message.ErrRefused, err)
	}
	return r.Line(message.Topic(m.Topic), merchant, w.link(m.Page)), nil
}

// address finds e-mail addresses in answers of mail servers.
var address = regexp.MustCompile(`[^\s<>"'@]+@[^\s<>"'@]+`)

// withoutAddresses keeps e-mail addresses out of what operators read.
func withoutAddresses(reason string) string { return address.ReplaceAllString(reason, "(an address)") }
