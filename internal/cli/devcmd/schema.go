package devcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"causeway/internal/cli/settings"
)

// schemaFileName is the file of a data directory with the steps of the schema in its database: name -> hash.
const schemaFileName = "schema.json"

// keepSchema notes the steps of the schema before the database of a data directory is built. A database built by changed
// steps of the same names, or by steps now gone, is refused: its tables are not the ones of this binary. Steps may be added.
func keepSchema(s *settings.Settings, steps map[string]string) error {
	path := filepath.Join(s.DataDir, schemaFileName)
	content, err := os.ReadFile(path)
	built := map[string]string{}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.Dev != nil {
			return otherSchema(s, "all of it")
		}
	case err != nil:
		return fmt.Errorf("DATA_DIR: %w", err)
	default:
		if err := json.Unmarshal(content, &built); err != nil {
			return fmt.Errorf("DATA_DIR: %s: %w", path, err)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(built)) {
		if built[step] != steps[step] {
			return otherSchema(s, step)
		}
	}
	if content, err = json.Marshal(steps); err != nil {
		return err
	}
	if err = os.WriteFile(path+".new", content, 0o600); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	return nil
}

func otherSchema(s *settings.Settings, what string) error {
	return fmt.Errorf("DATA_DIR: the database in %s has the schema of another version of causeway (%s): start that version, or start from scratch with causeway dev --reset, which removes its data",
		s.DataDir, what)
}
