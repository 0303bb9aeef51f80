package operator

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/sirupsen/logrus"

	"causeway/internal/store"
)

// inbox receives webhooks for anybody trying out the service, checks them and shows them (operator §dev). It takes every POST, also
// one without a good signature, and shows whether the signature is good.
type inbox struct {
	store  *store.Store
	verify func(header http.Header, body []byte) bool
	prefix string
	log    logrus.FieldLogger
	menu   menu
}

const (
	largestBody = 1 << 20
	longestName = 100
)

// receive keeps a webhook. It answers 200 only once the webhook is durable: a sender without an answer sends again.
func (in *inbox) receive(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !goodName(name) {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "the name in the address is 1 to 100 printable characters"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		writeJSON(w, http.StatusRequestEntityTooLarge, map[string]string{"error": "the body is over 1 MiB"})
		return
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "the body could not be read to its end, and was not kept"})
		return
	}
	got := store.Received{Name: name, Delivery: r.Header.Get(in.prefix + "-Delivery"), Headers: flat(r.Header), Body: body,
		Verified: in.verify(r.Header, body)}
	got.Delivery = strings.ToValidUTF8(got.Delivery, "\ufffd")
	if err := in.store.Receive(r.Context(), got); err != nil {
		in.log.WithError(err).Warn("the inbox lost a webhook")
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"error": "not kept, send it again"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]bool{"received": true, "verified": got.Verified})
}

// goodName reports whether a name can be kept and shown.
func goodName(name string) bool {
	return name != "" && len(name) <= longestName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// flat joins the values of each header.
func flat(header http.Header) map[string]string {
	out := make(map[string]string, len(header))
	for name, values := range header {
		out[name] = strings.ToValidUTF8(strings.Join(values, ", "), "\ufffd")
	}
	return out
}
