package docsite

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The parts of a Postman collection in the form of its schema, version 2.1.0.
type (
	collection struct {
		Info     collectionInfo   `json:"info"`
		Auth     collectionAuth   `json:"auth"`
		Variable []collectionPair `json:"variable"`
		Item     []collectionItem `json:"item"`
	}
	collectionInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	collectionAuth struct {
		Type   string           `json:"type"`
		APIKey []collectionPair `json:"apikey"`
	}
	collectionPair struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
	collectionItem struct {
		Name        string             `json:"name"`
		Description string             `json:"description,omitempty"`
		Item        []collectionItem   `json:"item,omitempty"`
		Request     *collectionRequest `json:"request,omitempty"`
	}
	collectionRequest struct {
		Method      string           `json:"method"`
		Description string           `json:"description,omitempty"`
		Header      []collectionPair `json:"header"`
		Body        *collectionBody  `json:"body,omitempty"`
		URL         collectionURL    `json:"url"`
	}
	collectionBody struct {
		Mode    string         `json:"mode"`
		Raw     string         `json:"raw"`
		Options map[string]any `json:"options"`
	}
	collectionURL struct {
		Raw      string           `json:"raw"`
		Host     []string         `json:"host"`
		Path     []string         `json:"path"`
		Query    []collectionPair `json:"query,omitempty"`
		Variable []collectionPair `json:"variable,omitempty"`
	}
)

const postmanSchema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

// postman writes the document as a Postman collection with variables base_url and api_key. Requests are not signed.
func (d *document) postman(base string) ([]byte, error) {
	c := collection{
		Info: collectionInfo{d.Info.Title, d.Info.Description + "\n\nFor keys that need no signature.", postmanSchema},
		Auth: collectionAuth{"apikey", []collectionPair{
			{Key: "key", Value: d.keyHeader()}, {Key: "value", Value: "{{api_key}}"}, {Key: "in", Value: "header"}}},
		Variable: []collectionPair{{Key: "base_url", Value: base}, {Key: "api_key", Value: ""}},
	}
	for _, tag := range d.Tags {
		folder := collectionItem{Name: tag.Name, Description: tag.Description}
		for _, o := range d.tagged(tag.Name) {
			folder.Item = append(folder.Item, collectionItem{Name: o.Summary, Request: d.postmanRequest(o)})
		}
		c.Item = append(c.Item, folder)
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the Postman collection: %w", err)
	}
	return text, nil
}

func (d *document) postmanRequest(o *operation) *collectionRequest {
	r := &collectionRequest{Method: o.method, Description: o.Description, Header: []collectionPair{}}
	path := o.path
	for _, p := range o.Parameters {
		if p = d.parameter(p); p == nil {
			continue
		}
		pair := collectionPair{Key: p.Name, Description: p.Description, Disabled: !p.Required}
		if p.Example != nil {
			pair.Value = fmt.Sprint(p.Example)
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", ":"+p.Name)
			r.URL.Variable = append(r.URL.Variable, pair)
		case "query":
			r.URL.Query = append(r.URL.Query, pair)
		case "header":
			r.Header = append(r.Header, pair)
		}
	}
	if o.Body != nil {
		if _, examples := d.content(o.Body); len(examples) > 0 {
			r.Body = &collectionBody{"raw", examples[0].Text, map[string]any{"raw": map[string]string{"language": "json"}}}
		}
	}
	r.URL.Raw, r.URL.Host, r.URL.Path = "{{base_url}}"+path, []string{"{{base_url}}"}, strings.Split(strings.TrimPrefix(path, "/"), "/")
	return r
}
