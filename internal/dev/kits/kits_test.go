package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

const clients = "../../../clients"

// The written files are those of the present API and guides.
func TestFilesArePresent(t *testing.T) {
	t.Parallel()
	all, err := files()
	if err != nil || len(all) != 2*len(kits) {
		t.Fatal(len(all), err)
	}
	for path, want := range all {
		written, err := os.ReadFile(filepath.Join(clients, path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written, want) {
			t.Errorf("clients/%s is not of the present API and guide: run `make kits`", path)
		}
	}
}

// methods find the methods of each kit's client.
var methods = map[string]struct{ file, method string }{
	"php":        {"php/src/Client.php", `(?m)^    public function (\w+)\(`},
	"python":     {"python/causeway/client.py", `(?m)^    def (\w+)\(`},
	"typescript": {"typescript/src/client.ts", `(?m)^  async (\w+)\(`},
}

// Each kit has a method for every operation, named after its operationId.
func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	d, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range methods {
		source, err := os.ReadFile(filepath.Join(clients, k.file))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, match := range regexp.MustCompile(k.method).FindAllStringSubmatch(string(source), -1) {
			found[match[1]] = true
		}
		for path, operations := range d.Paths {
			for verb, o := range operations {
				wanted := o.ID
				if name == "python" {
					wanted = snake(o.ID)
				}
				if !found[wanted] {
					t.Errorf("%s: %s %s has no method %s", name, verb, path, wanted)
				}
			}
		}
		if len(found) < 20 {
			t.Errorf("%s: only %d methods are found", name, len(found))
		}
	}
}

// snake writes checkPayout as check_payout.
func snake(id string) string {
	return regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(id, func(letter string) string { return "_" + string(letter[0]+'a'-'A') })
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"string"}`: "str", `{"type":["null","string"]}`: "str | None", `{"type":["string","number","null"]}`: "str | None",
		`{"type":["string","integer"]}`: "str",
		`{"enum":["a","b",null]}`:       `Literal["a", "b"] | None`,
		`{"enum":[true]}`:               `Literal[True]`,
		`{"type":"array","items":{"$ref":"#/components/schemas/Payment"}}`: "list[Payment]",
		`{"type":"object","additionalProperties":{"type":"string"}}`:       "dict[str, str]",
		`{"type":"object"}`: "dict[str, Any]",
		`{}`:                "Any",
		`{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Reversal"}]}`:           "Reversal | None",
		`{"oneOf":[{"$ref":"#/a/Problem.limit_exceeded"},{"$ref":"#/a/Problem.other"}]}`: "Problem",
	} {
		s := new(schema)
		if err := json.Unmarshal([]byte(text), s); err != nil {
			t.Fatal(err)
		}
		if got := inPython.expression(s); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
