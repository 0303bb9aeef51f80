package api

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"causeway/internal/proof/contract"
)

// contractRoutes is the route table of the whole API; its operations cannot be called.
func contractRoutes() []Route { return new(Operations).Routes() }

// document is the OpenAPI document of the whole API.
var document = sync.OnceValues(func() ([]byte, error) { return Document(contractRoutes(), "") })

func loadDocument(t testing.TB) *openapi3.T {
	t.Helper()
	text, err := document()
	if err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("OPENAPI_OUT"); path != "" {
		_ = os.WriteFile(path, text, 0o644)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaPatternValidation()); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi is %s", doc.OpenAPI)
	}
}

var pathParameter = regexp.MustCompile(`:(\w+)`)

func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §GET /v1/list-payout: Scope", "api-v1 §POST /v1/payin: Scope", "api-v1 §Endpoints: Every call is authenticated")
	doc := loadDocument(t)
	ids := map[string]bool{}
	for _, r := range contractRoutes() {
		path := pathParameter.ReplaceAllString(r.Path, "{$1}")
		item := doc.Paths.Value(path)
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not in the document", r.Method, path)
			continue
		}
		o := item.GetOperation(r.Method)
		if o.OperationID == "" || ids[o.OperationID] || o.Summary == "" || len(o.Tags) != 1 {
			t.Errorf("%s %s: id %q, summary %q, tags %v", r.Method, path, o.OperationID, o.Summary, o.Tags)
		}
		ids[o.OperationID] = true
		if away := o.Responses.Status(http.StatusServiceUnavailable); away == nil {
			t.Errorf("%s %s: nothing says that the sandbox may be away", r.Method, path)
		}
		if scopes := (*o.Security)[0]["ApiKey"]; len(scopes) != 1 || scopes[0] != r.Scope {
			t.Errorf("%s %s wants %v", r.Method, path, scopes)
		}
		if bodiless := r.Method == http.MethodGet || slices.Contains([]string{"redeliverWebhook", "revokeRefund", "endPaymentLink"}, r.Doc.ID); (o.RequestBody != nil) == bodiless {
			t.Errorf("%s %s: a body is documented: %v", r.Method, path, o.RequestBody != nil)
		}
	}
}

func TestEveryCodeIsDocumentedOrNeverAnswered(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	answered := map[string]bool{}
	for name := range doc.Components.Schemas {
		if code, ok := strings.CutPrefix(name, "Problem."); ok {
			answered[code] = true
		}
	}
	reachable := map[string]bool{"request_too_large": true} // the one extension (addendum §4.10)
	for _, c := range Codes() {
		if c.Never == "" {
			reachable[c.Code] = true
		}
		if c.When == "" {
			t.Errorf("%s: %s has no condition", c.Section, c.Code)
		}
		if c.Never == "" && !answered[c.Code] {
			t.Errorf("%s: %s is neither in the document nor said to be never answered", c.Section, c.Code)
		}
	}
	for code := range answered {
		if !reachable[code] {
			t.Errorf("%s is documented, and not one of the contract's codes that can be answered", code)
		}
	}
}

// A limited client is told when to come back; one finding the service away need not be.
func TestRetryAfterIsDeclaredWhereItIsAnswered(t *testing.T) {
	t.Parallel()
	for path, item := range loadDocument(t).Paths.Map() {
		for method, operation := range item.Operations() {
			for status, needed := range map[int]bool{http.StatusTooManyRequests: true, http.StatusServiceUnavailable: false} {
				answer := operation.Responses.Status(status)
				if answer == nil {
					t.Errorf("%s %s: no answer %d", method, path, status)
					continue
				}
				switch header := answer.Value.Headers["Retry-After"]; {
				case header == nil:
					t.Errorf("%s %s: %d is without Retry-After", method, path, status)
				case header.Value.Required != needed:
					t.Errorf("%s %s: %d needs Retry-After: %v", method, path, status, header.Value.Required)
				}
			}
		}
	}
}

// Each status of each operation has the codes of the table for it.
func TestCodesHaveTheStatusOfTheContract(t *testing.T) {
	t.Parallel()
	for _, r := range contractRoutes() {
		for _, e := range slices.Concat(r.Doc.Errors, everyOperation) {
			status, p := problem(e)
			if p.Code != errTooLarge.Code && whenOf(status, p.Code) == "" {
				t.Errorf("%s %s: the contract has no %s with status %d", r.Method, r.Path, p.Code, status)
			}
		}
	}
	for _, e := range itemErrors {
		if whenOf(0, e.Code) == "" {
			t.Errorf("the contract has no item error %s", e.Code)
		}
	}
}

// TestCodesAreThoseOfTheContract compares the tables with the ones of the project's own specification.
func TestCodesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	type row struct {
		section, status, code string
	}
	ours, theirs := map[row]bool{}, map[row]bool{}
	for _, c := range Codes() {
		r := row{section: c.Section, code: c.Code}
		if c.Status != 0 {
			r.status = strconv.Itoa(c.Status)
		}
		ours[r] = true
	}
	text, err := os.ReadFile("../docs/spec/api-v1.md")
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			section = strings.TrimLeft(line, "# ")
		}
		if !strings.HasSuffix(section, "errors") && section != sectionAccess || !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		status := ""
		if section != sectionItems {
			status, cells = cells[0], cells[1:]
		}
		for _, name := range codeName.FindAllString(remarks.ReplaceAllString(cells[0], ""), -1) {
			theirs[row{section, status, name}] = true
		}
	}
	for r := range ours {
		if !theirs[r] {
			t.Errorf("the contract has no %v", r)
		}
	}
	for r := range theirs {
		if !ours[r] {
			t.Errorf("Codes has no %v", r)
		}
	}
}

var (
	codeName = regexp.MustCompile(`\b[a-z0-9]+(_[a-z0-9]+)+\b`)
	remarks  = regexp.MustCompile(`\([^)]*\)`)
)

func TestDocumentPage(t *testing.T) {
	t.Parallel()
	page := DocumentPage(contractRoutes(), "X-Acme").Handler
	get := func(tag string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
		r.Header.Set("If-None-Match", tag)
		page.ServeHTTP(w, r)
		return w
	}
	first := get("")
	doc, err := openapi3.NewLoader().LoadFromData(first.Body.Bytes())
	if err != nil || first.Code != 200 {
		t.Fatal(first.Code, err)
	}
	if name := doc.Components.SecuritySchemes["ApiKey"].Value.Name; name != "X-Acme-Invoke" {
		t.Errorf("the key goes into %s", name)
	}
	if doc.Components.Parameters["X-Acme-Signature"] == nil {
		t.Error("the signature has another prefix")
	}
	if again := get(first.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same document again: %d", again.Code)
	}
}
