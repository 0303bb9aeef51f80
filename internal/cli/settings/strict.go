package settings

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"
)

var lineOf = regexp.MustCompile(`line \d+`)

// parseYAML reads a document; nil is an empty one. The library's errors quote possible secrets: only the line is passed on.
func parseYAML(content []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		if near := lineOf.FindString(err.Error()); near != "" {
			return nil, errors.New("not readable as YAML, near " + near)
		}
		return nil, errors.New("not readable as YAML")
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

// readStrict reads a node into the target of a pointer. Every key must be known; values missing in the node stay. An error
// names the line and the key, says the expected form, and shows no value: it may be secret.
func readStrict(node *yaml.Node, into any) error {
	return readNode(node, reflect.ValueOf(into).Elem(), "")
}

func readNode(node *yaml.Node, into reflect.Value, key string) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if whole, ok := into.Addr().Interface().(*yaml.Node); ok {
		*whole = *node
		return nil
	}
	if node.ShortTag() == "!!null" {
		return nil
	}
	_, readsItself := into.Addr().Interface().(yaml.Unmarshaler)
	_, readsText := into.Addr().Interface().(interface{ UnmarshalText([]byte) error })
	switch {
	case into.Kind() == reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		return readPairs(node, key, func(name, value *yaml.Node, at string) error {
			one := reflect.New(into.Type().Elem()).Elem()
			err := readNode(value, one, at)
			into.SetMapIndex(reflect.ValueOf(name.Value), one)
			return err
		})
	case into.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		return readItems(node, into, key)
	case into.Kind() == reflect.Struct && !readsText && (!readsItself || node.Kind == yaml.MappingNode):
		return readPairs(node, key, func(name, value *yaml.Node, at string) error {
			field, ok := fieldCalled(into, name.Value)
			if !ok {
				return fmt.Errorf("line %d: there is no field %q", name.Line, at)
			}
			return readNode(value, field, at)
		})
	case readsItself:
		if err := node.Decode(into.Addr().Interface()); err != nil {
			return fmt.Errorf("line %d: %s: %w", node.Line, key, err)
		}
		return nil
	}
	return readScalar(node, into, key)
}

// readItems reads a list, and replaces the earlier one.
func readItems(node *yaml.Node, into reflect.Value, key string) error {
	items := reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content))
	for i, item := range node.Content {
		if err := readNode(item, items.Index(i), key); err != nil {
			return err
		}
	}
	into.Set(items)
	return nil
}

// readPairs hands over each key of a mapping, in the order of the file.
func readPairs(node *yaml.Node, key string, read func(name, value *yaml.Node, at string) error) error {
	if node.Kind != yaml.MappingNode {
		return expected(node, key, "keys with values")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, at := node.Content[i], within(key, node.Content[i].Value)
		if before, twice := seen[name.Value]; twice {
			return fmt.Errorf("line %d: %s is given already, in line %d", name.Line, at, before)
		}
		seen[name.Value] = name.Line
		if err := read(name, node.Content[i+1], at); err != nil {
			return err
		}
	}
	return nil
}

func within(key, name string) string { return strings.TrimPrefix(key+"."+name, ".") }

func fieldCalled(into reflect.Value, name string) (reflect.Value, bool) {
	for field := range into.Type().Fields() {
		if field.Tag.Get("yaml") == name && name != "" {
			return into.FieldByIndex(field.Index), true
		}
	}
	return reflect.Value{}, false
}

// readScalar reads one value. The library would cut off the fraction of a whole number.
func readScalar(node *yaml.Node, into reflect.Value, key string) error {
	want, whole := "text", false
	if into.Kind() == reflect.Slice {
		return expected(node, key, "a list")
	}
	switch into.Interface().(type) {
	case time.Duration:
		want = "a duration such as 30s or 5m"
	case decimal.Decimal:
		want = "a number"
	case bool:
		want = "true or false"
	case int, int32, int64:
		want, whole = "a whole number", true
	case uint64:
		want, whole = "a whole number, not below zero", true
	}
	if whole && node.ShortTag() != "!!int" || node.Decode(into.Addr().Interface()) != nil {
		return expected(node, key, want)
	}
	return nil
}

func expected(node *yaml.Node, key, what string) error {
	if key == "" {
		return fmt.Errorf("line %d: expected %s", node.Line, what)
	}
	return fmt.Errorf("line %d: %s: expected %s", node.Line, key, what)
}
