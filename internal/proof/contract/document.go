package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is an OpenAPI 3.1 document, ready to check traffic against.
type Document struct {
	doc     *openapi3.T
	paths   []*path
	asked   *schemas // requests may carry more than is documented
	replied *schemas // answers may not
}

// path is a path template of the document, step by step.
type path struct {
	template string
	steps    []string
	item     *openapi3.PathItem
}

// Load reads and validates a document.
func Load(text []byte) (*Document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	d := &Document{doc: doc}
	for template, item := range doc.Paths.Map() {
		d.paths = append(d.paths, &path{template, strings.Split(template, "/"), item})
	}
	if d.asked, err = newSchemas(text, false); err != nil {
		return nil, err
	}
	d.replied, err = newSchemas(text, true)
	return d, err
}

// operation is the operation of one request.
type operation struct {
	*path
	method string
	params map[string]string // still percent-encoded
	op     *openapi3.Operation
}

// find returns the operation of a method and a path as sent; nil when the document has none.
func (d *Document) find(method, sent string) *operation {
	steps := strings.Split(sent, "/")
	for _, p := range d.paths {
		params, ok := p.match(steps)
		if !ok {
			continue
		}
		if op := p.item.Operations()[method]; op != nil {
			return &operation{p, method, params, op}
		}
	}
	return nil
}

func (p *path) match(steps []string) (map[string]string, bool) {
	if len(steps) != len(p.steps) {
		return nil, false
	}
	params := map[string]string{}
	for i, step := range p.steps {
		name, variable := strings.CutPrefix(step, "{")
		switch {
		case variable && steps[i] != "":
			params[strings.TrimSuffix(name, "}")] = steps[i]
		case variable || step != steps[i]:
			return nil, false
		}
	}
	return params, true
}

// at is the JSON pointer of something under the operation.
func (o *operation) at(steps ...string) string {
	return pointer(append([]string{"paths", o.template, strings.ToLower(o.method)}, steps...)...)
}

func pointer(steps ...string) string {
	var out strings.Builder
	for _, step := range steps {
		out.WriteByte('/')
		out.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return out.String()
}

// schemas compiles the schemas of a document where they stand, each once.
type schemas struct {
	document any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const documentURL = "https://causeway.test/openapi.json"

func newSchemas(text []byte, closed bool) (*schemas, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if closed {
		closeObjects(document)
	}
	s := &schemas{document: document, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	return s, s.compiler.AddResource(documentURL, document)
}

// closeObjects forbids undocumented properties of objects.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, listed := node["properties"].(map[string]any)
		if _, said := node["additionalProperties"]; listed && !said {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// validate holds a JSON text against the schema at a pointer into the document.
func (s *schemas) validate(at string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	schema, err := s.compile(at)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (s *schemas) compile(at string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema := s.compiled[at]; schema != nil {
		return schema, nil
	}
	schema, err := s.compiler.Compile(documentURL + "#" + escaped(at))
	if err != nil {
		return nil, fmt.Errorf("compile the schema at %s: %w", at, err)
	}
	s.compiled[at] = schema
	return schema, nil
}

// escaped makes a pointer a URL fragment.
func escaped(at string) string {
	return strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D").Replace(at)
}

// find returns the pointer to a place in the document, and follows one reference on the way; false where there is
// nothing.
func (s *schemas) find(steps ...string) (at string, ok bool) {
	node := s.document
	for _, step := range steps {
		object, isObject := node.(map[string]any)
		if !isObject {
			return "", false
		}
		if node, ok = object[step]; !ok {
			return "", false
		}
	}
	if object, isObject := node.(map[string]any); isObject {
		if ref, isText := object["$ref"].(string); isText {
			return strings.TrimPrefix(ref, "#"), true
		}
	}
	return pointer(steps...), true
}

// problem is the common part of all refusals (api-v1 §Errors).
type problem struct {
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
	Results []struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"results"`
}

// codes returns the error codes of an answer, the request's own first.
func codes(body []byte) (out []string) {
	var p problem
	if json.Unmarshal(body, &p) != nil {
		return nil
	}
	if p.Error.Code != "" {
		out = append(out, p.Error.Code)
	}
	for _, r := range p.Results {
		if r.Error.Code != "" {
			out = append(out, ItemPrefix+r.Error.Code)
		}
	}
	return out
}

// ItemPrefix stands before the codes of payout items. They have a table of their own.
const ItemPrefix = "item "

func isJSON(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "application/json")
}
