// Command fakerippled runs the fake rippled by itself, for demonstrations. It says where it listens on its standard output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"causeway/internal/dev/rippled"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakerippled:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakerippled", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen on")
	every := flags.Duration("every", 4*time.Second, "time between ledgers; 0 makes ledgers by POST /dev/close only")
	name := flags.String("name", "", "name of the chain; another name is another first ledger")
	network := flags.Int("network", rippled.Network, "network id")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "This is a fake of a rippled: it is for tests, and no money is on it.\nListening on http://%s\nNetwork id %d\n",
		listener.Addr(), *network)
	if err != nil {
		return err
	}
	node := rippled.New(rippled.Options{Name: *name, Network: *network})
	defer node.Run(*every)()
	server := &http.Server{Handler: node, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
