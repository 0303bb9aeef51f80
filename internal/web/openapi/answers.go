package openapi

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

// responses lists for each status the possible bodies: one of the answers, or an error with one of the codes.
func (w *writer) responses(o *Operation) (*openapi31.Responses, error) {
	byStatus := map[int]*response{}
	at := func(status int) *response {
		if byStatus[status] == nil {
			byStatus[status] = &response{examples: map[string]openapi31.ExampleOrReference{}}
		}
		return byStatus[status]
	}
	for _, a := range o.Answers {
		if a.Media != "" {
			at(a.Status).text(a)
			continue
		}
		schema, err := w.schemaOf(a.Sample)
		if err != nil {
			return nil, err
		}
		at(a.Status).answer(a, schema)
	}
	for _, e := range o.Errors {
		at(e.Status).refuse(e)
	}
	for _, e := range w.Everywhere {
		if own := byStatus[e.Status]; own != nil {
			own.refuse(e)
		}
	}
	out := &openapi31.Responses{MapOfResponseOrReferenceValues: w.shared()}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		out.WithMapOfResponseOrReferenceValuesItem(strconv.Itoa(status), w.response(status, byStatus[status]))
	}
	return out, nil
}

// shared are the statuses of every operation's refusals, as references to components.
func (w *writer) shared() map[string]openapi31.ResponseOrReference {
	byStatus := map[int]*response{}
	for _, e := range w.Everywhere {
		if byStatus[e.Status] == nil {
			byStatus[e.Status] = &response{examples: map[string]openapi31.ExampleOrReference{}}
		}
		byStatus[e.Status].refuse(e)
	}
	out := map[string]openapi31.ResponseOrReference{}
	for status, r := range byStatus {
		name := "Refused." + strconv.Itoa(status)
		w.spec.ComponentsEns().WithResponsesItem(name, w.response(status, r))
		out[strconv.Itoa(status)] = openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
	}
	return out
}

// response collects the possible bodies of one status of one operation.
type response struct {
	summaries []string
	schemas   []any
	errors    []Error
	examples  map[string]openapi31.ExampleOrReference
	headers   []string
	texts     map[string]openapi31.MediaType // by media type
}

// text is the same answer in another form than JSON.
func (r *response) text(a Answer) {
	if r.texts == nil {
		r.texts = map[string]openapi31.MediaType{}
	}
	media := openapi31.MediaType{Schema: map[string]any{"type": "string"}, Examples: map[string]openapi31.ExampleOrReference{
		"answer": {Example: &openapi31.Example{Summary: text(a.Summary), Value: value(a.Sample)}}}}
	if a.Extension {
		media.WithMapOfAnythingItem(mark, true)
	}
	r.texts[a.Media] = media
}

func (r *response) answer(a Answer, schema map[string]any) {
	r.summaries = append(r.summaries, a.Summary)
	known := slices.ContainsFunc(r.schemas, func(s any) bool { return s.(map[string]any)["$ref"] == schema["$ref"] }) // only maps are put there
	if !known {
		r.schemas = append(r.schemas, schema)
	}
	r.headers = append(r.headers, a.Headers...)
	r.example("answer", a.Summary, a.Sample)
}

func (r *response) refuse(e Error) {
	r.errors = append(r.errors, e)
	r.headers = append(r.headers, e.Headers...)
	r.example(e.Code, e.Condition, body{problem{e.Code, e.Message, e.Details}})
}

// body and problem are an error as it goes out (api-v1 §Errors).
type body struct {
	Error problem `json:"error"`
}

type problem struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// example keeps every example; a name already used gets a number.
func (r *response) example(name, summary string, sample any) {
	free := name
	for n := 2; ; n++ {
		if _, taken := r.examples[free]; !taken {
			break
		}
		free = name + "_" + strconv.Itoa(n)
	}
	r.examples[free] = openapi31.ExampleOrReference{Example: &openapi31.Example{Summary: text(summary), Value: value(sample)}}
}

func (w *writer) response(status int, r *response) openapi31.ResponseOrReference {
	if len(r.errors) > 0 {
		r.schemas = append(r.schemas, errorSchema(r.errors))
		r.summaries = append(r.summaries, "`"+strings.Join(codesOf(r.errors), "`, `")+"`")
	}
	schema, _ := r.schemas[0].(map[string]any)
	if len(r.schemas) > 1 {
		schema = map[string]any{"anyOf": r.schemas}
	}
	headers := map[string]openapi31.HeaderOrReference{}
	for _, name := range slices.Concat(w.Always, r.headers) {
		headers[cmp.Or(w.Headers[name].Name, name)] = openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + name}}
	}
	content := map[string]openapi31.MediaType{mediaJSON: {Schema: schema, Examples: r.examples}}
	maps.Copy(content, r.texts)
	return openapi31.ResponseOrReference{Response: &openapi31.Response{
		Description: http.StatusText(status) + ": " + strings.Join(r.summaries, "; "), Headers: headers, Content: content,
	}}
}

func errorSchema(errors []Error) map[string]any {
	return map[string]any{
		"type": "object", "required": []any{"error"}, "properties": map[string]any{"error": oneProblem(errors)},
	}
}

// unrouted describes the answers where there is no operation.
func (w *writer) unrouted() {
	for _, e := range w.Unrouted {
		r := &response{examples: map[string]openapi31.ExampleOrReference{}}
		r.refuse(e)
		w.spec.ComponentsEns().WithResponsesItem(e.Code, w.response(e.Status, r))
	}
}
