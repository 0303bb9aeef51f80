package panel_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/internal/people"
)

// An address that browsers have no passkeys for offers none, and everything else is as it was.
func TestWherePasskeysAreOffered(t *testing.T) {
	t.Parallel()
	for address, offered := range map[string]bool{"https://pay.example": true, "http://localhost:8080": true, "http://pay.example": false, "https://10.0.0.1": false,
		"http://127.0.0.1:8080": false, "https://[::1]": false, "": false} {
		if got := people.NewPasskeys(address) != nil; got != offered {
			t.Errorf("%q offers passkeys: %v", address, got)
		}
	}
	f := openAt(t, func(port string) string { return "http://127.0.0.1:" + port })
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	if _, page := ann.get("account"); strings.Contains(page, "passkey") && strings.Contains(page, "Add a passkey") {
		t.Errorf("passkeys are offered on %s", page)
	}
	for path, want := range map[string]int{"account/passkeys": http.StatusNotFound, "account/passkeys/add": http.StatusNotFound,
		"account/passkeys/challenge": http.StatusMethodNotAllowed, "login/passkey": http.StatusMethodNotAllowed} {
		if code, _ := ann.do(path, "name", "x", "proof", password); code != want {
			t.Errorf("%s is answered %d", path, code)
		}
	}
}
