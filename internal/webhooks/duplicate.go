package webhooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

var errNotAnObject = errors.New("not a JSON object")

// member is one name and value of a JSON object, the value as it was written.
type member struct {
	Name  string
	Value json.RawMessage
}

// Duplicate returns the body of a delivery repeated on request: the same with data.is_duplicated true (addendum §11).
// Order, numbers and text stay as they were written. A body without a data object is an error.
func Duplicate(body []byte) ([]byte, error) {
	outer, err := members(body)
	if err != nil {
		return nil, fmt.Errorf("read webhook body: %w", err)
	}
	for i := range outer {
		if outer[i].Name != "data" {
			continue
		}
		data, err := members(outer[i].Value)
		if err != nil {
			return nil, fmt.Errorf("read webhook data: %w", err)
		}
		outer[i].Value = join(put(data, "is_duplicated", json.RawMessage("true")))
		return join(outer), nil
	}
	return nil, fmt.Errorf("webhook body without data: %w", errNotAnObject)
}

func members(object []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.Join(errNotAnObject, err)
	}
	var list []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		m := member{Name: name.(string)}
		if err := decoder.Decode(&m.Value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	_, err := decoder.Token()
	return list, err
}

func put(list []member, name string, value json.RawMessage) []member {
	for i := range list {
		if list[i].Name == name {
			list[i].Value = value
			return list
		}
	}
	return append(list, member{Name: name, Value: value})
}

func join(list []member) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := encode(m.Name)
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.Value)
	}
	out.WriteByte('}')
	return out.Bytes()
}
