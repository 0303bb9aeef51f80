package panel_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/descope/virtualwebauthn"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/people"
)

// device is a virtual authenticator with one key, and the site that its browser shows.
type device struct {
	*person
	site virtualwebauthn.RelyingParty
	with virtualwebauthn.Authenticator
	key  virtualwebauthn.Credential
}

// newKey is a key with coordinates of 32 bytes. The library leaves out leading zeros, as no authenticator does.
func newKey() virtualwebauthn.Credential {
	const whole = 77
	for {
		if key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(key.Key.AttestationData()) == whole {
			return key
		}
	}
}

// withPhone is an owner with a passkey on a device.
func withPhone(t *testing.T) (*floor, *person, *device) {
	t.Helper()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	d := ann.device()
	d.add("phone", password)
	return f, ann, d
}

// device is a new one of a person.
func (p *person) device() *device {
	p.Helper()
	var id uuid.UUID
	p.must(p.db.NewRaw("select id from people where email = ?", p.email).Scan(p.Context(), &id))
	return &device{p, virtualwebauthn.RelyingParty{ID: "pay.example", Origin: "https://pay.example"},
		virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: id[:]}), newKey()}
}

var asksPasskey = regexp.MustCompile(`data-passkey="(\{[^"]+)"`)

// options are what a challenge has for the browser.
func (p *person) options(challenge string) (id, options string) {
	p.Helper()
	var read struct {
		ID      string          `json:"id"`
		Options json.RawMessage `json:"options"`
	}
	p.must(json.Unmarshal([]byte(challenge), &read))
	return read.ID, string(read.Options)
}

// answer is a field with the answer to a challenge.
func answer(id, signed string) string { return `{"id":"` + id + `","answer":` + signed + `}` }

// made is the field with a new passkey, for the challenge of a page.
func (d *device) made(page string) string {
	d.Helper()
	found := asksPasskey.FindStringSubmatch(page)
	if found == nil {
		d.Fatalf("no passkey is asked for on %s", page)
	}
	id, options := d.options(html.UnescapeString(found[1]))
	read, err := virtualwebauthn.ParseAttestationOptions(options)
	d.must(err)
	return answer(id, virtualwebauthn.CreateAttestationResponse(d.site, d.with, d.key, *read))
}

// add adds the device to its person, whose proof is given.
func (d *device) add(name, proof string) {
	d.Helper()
	_, page := d.do("account/passkeys", "name", name, "proof", proof)
	if code, page := d.do("account/passkeys/add", "name", name, "made", d.made(page)); !strings.Contains(page, "The passkey was added") {
		d.Fatalf("a passkey is answered %d %s", code, page)
	}
}

// sign signs a challenge, counting one signature more.
func (d *device) sign(challenge string) string {
	d.Helper()
	id, options := d.options(challenge)
	read, err := virtualwebauthn.ParseAssertionOptions(options)
	d.must(err)
	d.key.Counter++
	return answer(id, virtualwebauthn.CreateAssertionResponse(d.site, d.with, d.key, *read))
}

// asked is the challenge of a login.
func (d *device) asked() string {
	d.Helper()
	code, _, challenge := d.ask(http.MethodPost, "login/passkey/challenge", url.Values{})
	if code != http.StatusOK {
		d.Fatalf("a challenge is answered %d %s", code, challenge)
	}
	return challenge
}

// enter logs in with what was signed.
func (d *device) enter(signed string) (code int, page string) {
	d.Helper()
	code, _, page = d.ask(http.MethodPost, "login/passkey", url.Values{"passkey": {signed}})
	return code, page
}

// proof signs for an act under the login.
func (d *device) proof() string {
	d.Helper()
	code, page := d.post("account/passkeys/challenge")
	if code != http.StatusOK {
		d.Fatalf("a proof is answered %d %s", code, page)
	}
	return d.sign(page)
}

// settled makes every passkey a day older.
func (f *floor) settled() {
	f.Helper()
	_, err := f.db.NewRaw("update person_passkeys set added_at = added_at - interval '1 day'").Exec(f.Context())
	f.must(err)
}

// A person without a code adds a passkey with their password. From then on the password alone lets nobody in, the passkey does, and a day
// later it confirms a withdrawal, each signature once.
func TestAPasskeyStandsForPasswordAndCode(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	elsewhere := f.stranger(ann.email)
	elsewhere.login(password)
	d := ann.device()
	f.messages()
	if code, page := ann.do("account/passkeys", "name", "phone"); code != http.StatusForbidden || !strings.Contains(page, "Confirm that it is you") {
		t.Fatalf("a passkey without a proof is answered %d %s", code, page)
	}
	if code, page := ann.do("account/passkeys", "name", "phone", "proof", "wrong"); code != http.StatusForbidden || !strings.Contains(page, "password is wrong") {
		t.Fatalf("a passkey with a wrong proof is answered %d %s", code, page)
	}
	d.add("phone", password)
	if code, _ := elsewhere.get("account"); code != http.StatusSeeOther {
		t.Errorf("another login by password goes on: %d", code)
	}
	if got := f.messages(); !slices.Contains(got, "mail:ann@example.com Your passkeys") {
		t.Errorf("a new passkey tells %v", got)
	}
	if code, _, page := elsewhere.ask(http.MethodPost, "login", url.Values{"email": {ann.email}, "password": {password}}); code != http.StatusUnauthorized || !strings.Contains(page, "log in with a passkey") {
		t.Errorf("the password alone is answered %d %s", code, page)
	}
	ann.post("logout")
	if code, page := d.enter(d.sign(d.asked())); code != http.StatusSeeOther {
		t.Fatalf("the passkey is answered %d %s", code, page)
	}
	if code, page := ann.do("withdraw/check", asked...); code != http.StatusForbidden || !strings.Contains(page, "Your passkey is new") {
		t.Errorf("a new passkey withdraws: %d %s", code, page)
	}
	f.settled()
	confirmed, signed := ann.confirmed(), d.proof()
	for _, given := range []string{"", "000000", `{"id":"` + uuid.NewString() + `"}`} {
		if code, page := ann.do("withdraw", append(confirmed, "code", given)...); code != http.StatusOK || !strings.Contains(page, "was not accepted") {
			t.Errorf("%q for a signature is answered %d %s", given, code, page)
		}
	}
	if code, page := ann.do("withdraw", append(confirmed, "code", signed)...); code != http.StatusSeeOther || len(f.withdrawals.recorded) != 1 {
		t.Fatalf("the signature is answered %d %s", code, page)
	}
	f.withdrawals.left = decimal.NewFromInt(1000)
	if code, page := ann.do("withdraw", append(ann.confirmed(), "code", signed)...); code != http.StatusOK || !strings.Contains(page, "was not accepted") {
		t.Errorf("a used signature is answered %d %s", code, page)
	}
	if acts := f.audited(f.shop); !slices.Contains(acts, "person:ann@example.com person.withdraw") {
		t.Errorf("audited are %v", acts)
	}
}

// Signatures that are not of this site, this challenge, this browser, this person or a verified user let nobody in.
func TestSignaturesThatLetNobodyIn(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	bob := f.member(f.shop, "bob@example.com", people.Owner)
	d := ann.device()
	d.add("phone", password)
	ann.post("logout")
	unknown := *d
	unknown.key = newKey()
	forged := *d
	forged.key = virtualwebauthn.Credential{ID: d.key.ID, Key: unknown.key.Key}
	unverified, absent, another, site, origin := *d, *d, *d, *d, *d
	unverified.with.Options.UserNotVerified, absent.with.Options.UserNotPresent = true, true
	another.with = bob.device().with
	site.site.ID, origin.site.Origin = "other.example", "https://other.example"
	for name, by := range map[string]*device{"an unknown key": &unknown, "another key": &forged, "no user verified": &unverified, "no user there": &absent,
		"another's handle": &another, "another site": &site, "another origin": &origin} {
		by.key.Counter = d.key.Counter
		if code, page := by.enter(by.sign(by.asked())); code != http.StatusUnauthorized || !strings.Contains(page, "was not accepted") {
			t.Errorf("%s is answered %d %s", name, code, page)
		}
		if code, _ := ann.get(""); code != http.StatusSeeOther {
			t.Fatalf("%s lets in", name)
		}
	}
	_, err := f.db.NewRaw("delete from person_tries").Exec(t.Context())
	f.must(err)
	for _, nothing := range []string{"", "{", "[]", `{"id":"x"}`, `{"id":"` + uuid.NewString() + `","answer":{}}`} {
		if code, _ := d.enter(nothing); code != http.StatusUnauthorized {
			t.Errorf("%q is answered %d", nothing, code)
		}
	}
	signed := d.sign(d.asked())
	stranger := f.stranger(ann.email).device()
	if code, _ := stranger.enter(signed); code != http.StatusUnauthorized {
		t.Errorf("another browser is answered %d", code)
	}
	if code, page := d.enter(signed); code != http.StatusSeeOther {
		t.Fatalf("the right browser is answered %d %s", code, page)
	}
	ann.post("logout")
	if code, page := d.enter(signed); code != http.StatusUnauthorized || !strings.Contains(page, "was not accepted. Try again") {
		t.Errorf("a signature given twice is answered %d %s", code, page)
	}
	late := d.sign(d.asked())
	_, err = f.db.NewRaw("update passkey_challenges set made_at = made_at - interval '6 minutes'").Exec(t.Context())
	f.must(err)
	if code, _ := d.enter(late); code != http.StatusUnauthorized {
		t.Errorf("a late signature is answered %d", code)
	}
}

// A counter that has not risen is refused, and told to the person and in the audit.
func TestACopiedPasskey(t *testing.T) {
	t.Parallel()
	f, _, d := withPhone(t)
	copied := *d
	d.enter(d.sign(d.asked()))
	d.enter(d.sign(d.asked()))
	f.messages()
	code, page := copied.enter(copied.sign(copied.asked()))
	if code != http.StatusUnauthorized || !strings.Contains(page, "may have been copied") {
		t.Fatalf("a copy is answered %d %s", code, page)
	}
	if got := f.messages(); !slices.Equal(got, []string{"mail:ann@example.com Your passkeys"}) {
		t.Errorf("a copy tells %v", got)
	}
	var rows int
	f.must(f.db.NewRaw("select count(*) from audit where action = 'person.passkey-copied' and subject = 'person:ann@example.com'").Scan(t.Context(), &rows))
	if rows != 1 {
		t.Errorf("%d audit rows tell of it", rows)
	}
	if code, _ := d.enter(d.sign(d.asked())); code != http.StatusSeeOther {
		t.Errorf("the passkey itself is answered %d", code)
	}
	copied.key.Counter = d.key.Counter - 1
	if code, page := d.do("account/passkeys", "name", "other", "proof", copied.proof()); code != http.StatusForbidden || !strings.Contains(page, "may have been copied") {
		t.Errorf("a copy for a proof is answered %d %s", code, page)
	}
}

// A passkey is named and removed by its person alone, for a proof of its own. The last second factor stays. A link for a new password
// takes them all off.
func TestRemovingPasskeys(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	bob := f.member(f.shop, "bob@example.com", people.Owner)
	d := ann.device()
	d.add("phone", password)
	at := func(n int) string {
		var ids []string
		f.must(f.db.NewRaw("select id from person_passkeys order by added_at, id").Scan(t.Context(), &ids))
		return "account/passkeys/" + ids[n]
	}
	if code, page := ann.do(at(0) + "/end"); code != http.StatusForbidden || !strings.Contains(page, "Confirm it with your passkey") {
		t.Errorf("removing without a proof is answered %d %s", code, page)
	}
	if _, page := ann.do(at(0)+"/end", "proof", d.proof()); !strings.Contains(page, "beside the password") {
		t.Errorf("removing the last one says %s", page)
	}
	_, err := f.db.NewRaw("update person_sessions set proved_at = proved_at - interval '6 minutes'").Exec(t.Context())
	f.must(err)
	if code, page := ann.do("account/code", "password", password, "code", "000000"); code != http.StatusForbidden || !strings.Contains(page, "Confirm it with your passkey") {
		t.Errorf("a code beside it is answered %d %s", code, page)
	}
	second := ann.device()
	second.add("key", d.proof())
	for path, proof := range map[string]string{at(0) + "/name": "", at(0) + "/end": password} {
		if code, _ := bob.do(path, "name", "mine now", "proof", proof); code != http.StatusNotFound {
			t.Errorf("%s by another is answered %d", path, code)
		}
	}
	for _, name := range []string{"", strings.Repeat("n", 61)} {
		if _, page := ann.do(at(0)+"/name", "name", name); !strings.Contains(page, "at most 60") {
			t.Errorf("the name %q says %s", name, page)
		}
	}
	if _, page := ann.do(at(0)+"/name", "name", "old phone"); !strings.Contains(page, "new name") {
		t.Errorf("naming says %s", page)
	}
	login := second.asked()
	ann.do(at(0)+"/end", "proof", d.proof())
	if code, _ := ann.get("account"); code != http.StatusSeeOther {
		t.Errorf("the login by the removed passkey goes on: %d", code)
	}
	if code, _ := d.enter(d.sign(d.asked())); code != http.StatusUnauthorized {
		t.Errorf("a removed passkey is answered %d", code)
	}
	if code, _ := second.enter(second.sign(login)); code != http.StatusUnauthorized {
		t.Errorf("the challenge of before is answered %d", code)
	}
	if code, _ := second.enter(second.sign(second.asked())); code != http.StatusSeeOther {
		t.Errorf("the other passkey is answered %d", code)
	}
	made, err := f.admin.ResetPerson(t.Context(), ann.email)
	f.must(err)
	_, token, _ := strings.Cut(made.Path, "token=")
	ann.ask(http.MethodPost, "reset", url.Values{"token": {token}, "password": {password}})
	if code, _ := ann.get("account"); code != http.StatusSeeOther {
		t.Errorf("the login goes on after a reset: %d", code)
	}
	if code := ann.login(password); code != http.StatusSeeOther {
		t.Errorf("the password after a reset is answered %d", code)
	}
}

// A person has at most ten passkeys, and adds none that is there already.
func TestTenPasskeys(t *testing.T) {
	t.Parallel()
	f, ann, d := withPhone(t)
	_, page := ann.do("account/passkeys", "name", "same", "proof", d.proof())
	if _, page := ann.do("account/passkeys/add", "name", "same", "made", d.made(page)); !strings.Contains(page, "there already") {
		t.Errorf("the same key says %s", page)
	}
	_, waiting := ann.do("account/passkeys", "name", "eleventh", "proof", d.proof())
	for range people.MostPasskeys - 1 {
		_, err := f.db.NewRaw(`with k as (insert into person_passkeys (id, person_id, credential, public_key, counter, synced, name)
			select gen_random_uuid(), person_id, gen_random_uuid()::text::bytea, public_key, 0, false, 'more' from person_passkeys limit 1)
			update people set passkeys = passkeys + 1 where email = ?`, ann.email).Exec(t.Context())
		f.must(err)
	}
	for path, fields := range map[string][]string{"account/passkeys": {"proof", d.proof()}, "account/passkeys/add": {"made", ann.device().made(waiting)}} {
		if _, page := ann.do(path, append(fields, "name", "eleventh")...); !strings.Contains(page, "you have 10 passkeys") {
			t.Errorf("%s for an eleventh says %s", path, page)
		}
	}
	if _, page := ann.get("account"); strings.Contains(page, "Add a passkey") {
		t.Error("an eleventh is offered")
	}
}

// An operator who takes the code off takes passkeys off, too.
func TestAnOperatorTakesPasskeysOff(t *testing.T) {
	t.Parallel()
	f, ann, d := withPhone(t)
	if _, page := ann.get("people"); !strings.Contains(page, "passkeys: 1") {
		t.Errorf("the people are %s", page)
	}
	left, err := f.admin.UnlockPerson(t.Context(), ann.email, true)
	if err != nil || left.TOTP || left.Passkeys != 0 {
		t.Fatalf("left is %+v: %v", left, err)
	}
	if code, _ := d.enter(d.sign(d.asked())); code != http.StatusUnauthorized {
		t.Errorf("the passkey is answered %d", code)
	}
	if code := ann.login(password); code != http.StatusSeeOther {
		t.Errorf("the password is answered %d", code)
	}
}
