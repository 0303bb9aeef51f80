package integratorcmd

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"causeway/client"
	"causeway/internal/cli/command"
)

// The variables of the environment with the key of an assistant. A command line would show them to everybody on the machine.
const (
	keyVariable     = "CAUSEWAY_KEY"
	signingVariable = "CAUSEWAY_SIGNING_SECRET"
)

// MCP serves an API to an assistant by the Model Context Protocol, on standard input and output.
func MCP(l *command.Line, version string) *cobra.Command {
	p := &commands{l}
	var to, prefix string
	c := &cobra.Command{Use: "mcp", Args: cobra.NoArgs, Short: "serve an API to an assistant: reads and dry runs, over standard input and output",
		RunE: func(c *cobra.Command, _ []string) error { return p.assist(c.Context(), to, prefix, version) }}
	command.Web(c.Flags(), &to, "url", "the API (default: the one of causeway dev)")
	c.Flags().StringVar(&prefix, "header-prefix", "", "prefix of the API's headers (default "+client.DefaultHeaderPrefix+")")
	return c
}

// assist serves until its input or ctx ends.
func (p *commands) assist(ctx context.Context, to, prefix, version string) error {
	config := client.Config{BaseURL: to, HeaderPrefix: prefix, Key: p.variable(keyVariable), SigningSecret: p.variable(signingVariable)}
	if to == "" {
		if err := p.devAPI(&config); err != nil {
			return err
		}
	}
	if config.Key == "" {
		return command.Usagef("mcp needs a key in %s", keyVariable)
	}
	api, err := client.New(config)
	if err != nil {
		return err
	}
	err = Assistant(api, version).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(p.Stdin), Writer: unclosed{p.Stdout}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		err = nil // told to stop
	}
	return err
}

// devAPI is the API of dev.json, with a key that only reads unless another is given.
func (p *commands) devAPI(config *client.Config) error {
	s, err := p.Settings()
	if err != nil {
		return err
	}
	if s.Dev == nil {
		return command.Usagef("mcp needs --url: there is no dev.json in %s", s.DataDir)
	}
	config.BaseURL, config.HeaderPrefix = s.Dev.APIURL, s.Dev.HeaderPrefix
	if config.Key == "" {
		config.Key = s.Dev.ReadOnlyKey
	}
	return nil
}

// variable is a variable of the environment; "" when it is not set.
func (p *commands) variable(name string) string {
	for _, setting := range p.Environ {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}

// unclosed stays open when a session ends.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }
