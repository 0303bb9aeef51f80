package screen

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	twice := errors.Join(errors.New("no postgres"), fmt.Errorf("no redis\n  at all"), errors.New("no postgres"))
	require.Equal(t, "no postgres; no redis; at all", OneLine(twice))
	require.Equal(t, "tried: this; that", OneLine(errors.New("tried:\n\tthis\n\tthat")))
}
