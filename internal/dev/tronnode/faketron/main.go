// Command faketron runs the fake node of Tron by itself, for demonstrations. It says where it listens on its standard output.
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

	"causeway/internal/dev/tronnode"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "faketron:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("faketron", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen on")
	every := flags.Duration("every", 3*time.Second, "time between blocks; 0 makes blocks by POST /dev/mine only")
	key := flags.String("key", "", "key wanted in the header TRON-PRO-API-KEY")
	name := flags.String("name", "", "name of the chain; another name is another first block")
	lag := flags.Int("solid-lag", 19, "blocks between the newest and the solid one")
	factor := flags.Int64("factor", 0, "energy_factor of USDT, in ten-thousandths")
	if err := flags.Parse(args); err != nil {
		return err
	}
	node, err := tronnode.New(tronnode.Options{Key: *key, Name: *name, SolidLag: *lag, Factor: *factor})
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "This is a fake of a node of Tron: it is for tests, and no money is on it.\nListening on http://%s\nFirst block %s\n",
		listener.Addr(), node.GenesisID())
	if err != nil {
		return err
	}
	defer node.Run(*every)()
	server := &http.Server{Handler: node, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
