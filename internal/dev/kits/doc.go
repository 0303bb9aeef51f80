// Command kits writes two files of each client below clients/ (`make kits`): its types from the OpenAPI document, and its README from its
// guide. Everything else there is written by hand (docs/decisions/0060-answers-as-they-come.md).
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"causeway/api"
	"causeway/docs/guides"
)

// devAddress is where causeway dev listens: a README belongs to no other service.
const devAddress = "http://127.0.0.1:8080"

// kit is a language: where its types are in its folder, and how they are written.
type kit struct {
	types string
	write func(*document) string
}

// kits are by folder. A guide has the same name.
var kits = map[string]kit{
	"php":        {"src/Types.php", php},
	"python":     {"causeway/types.py", python},
	"typescript": {"src/types.ts", typeScript},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kits:", err)
		os.Exit(1)
	}
}

// run writes every kit's files below the working directory, the module's own.
func run() error {
	all, err := files()
	if err != nil {
		return err
	}
	for path, text := range all {
		if err := os.WriteFile(filepath.Join("clients", path), text, 0o644); err != nil {
			return fmt.Errorf("write it: %w", err)
		}
	}
	return nil
}

// files are the contents of the written files by their paths below clients/.
func files() (map[string][]byte, error) {
	d, err := readDocument()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for folder, k := range kits {
		guide, err := guides.Files.ReadFile(folder + ".md")
		if err != nil {
			return nil, fmt.Errorf("read the guide: %w", err)
		}
		out[folder+"/README.md"] = bytes.ReplaceAll(guide, []byte("{base_url}"), []byte(devAddress))
		out[folder+"/"+k.types] = []byte(k.write(d))
	}
	return out, nil
}

// readDocument reads the document of the present code, with the default header prefix.
func readDocument() (*document, error) {
	text, err := api.Document(new(api.Operations).Routes(), "")
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return parse(text)
}
