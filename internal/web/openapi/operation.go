package openapi

// Operation is one row of the route table as the document shows it.
type Operation struct {
	ID          string // operationId, from which generated clients name their method
	Method      string
	Path        string // httprouter form: /v1/check-payin/:reference
	Scope       string // needed by the key
	Tag         string
	Summary     string
	Description string
	Params      []Param
	Body        any // sample of the request's body, for its schema; nil when there is none
	Examples    []Example
	Answers     []Answer
	Errors      []Error // beside those of every operation
	Extension   bool    // not the contract's
}

// Param is a parameter of the path, the query or the headers.
type Param struct {
	Name        string
	In          string // query when empty, else path or header
	Description string
	Schema      map[string]any // a string when nil
	Example     any
	Required    bool
	Extension   bool // not the contract's
}

// Example is a named value, written as its JSON.
type Example struct {
	Name    string // a word, its key in the document
	Summary string
	Value   any
}

// Answer is one answer of an operation beside a bare error. A status may have several. Its sample is example and source
// of the schema at once.
type Answer struct {
	Status    int
	Summary   string
	Sample    any
	Media     string   // application/json when empty; else the sample is a text
	Headers   []string // of Document.Headers
	Extension bool     // a media type outside the contract
}

// Error is a refusal by a code of the contract. Details is an example of them; its names and types become the schema.
type Error struct {
	Status    int
	Code      string
	Message   string
	Condition string
	Details   map[string]any
	Headers   []string // of Document.Headers
	Extension bool     // a code outside the contract
	Extra     []string // names of Details outside the contract
}

// Notice is a webhook: a request made by the service.
type Notice struct {
	Event       string
	Summary     string
	Description string
	Body        any // sample, for the schema
	Examples    []Example
}

// Field says more about a property than its Go type does. Empty values say nothing.
type Field struct {
	Description string
	Pattern     string
	Format      string
	Example     any
	Types       []string // instead of the reflected type
	Enum        []any
	Extension   bool // neither the contract nor its addendum has it: the document says so
}
