// Opens a channel and exchanges messages on it. It knows only the proto files, which it reads at startup.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	options := options{}
	flag.StringVar(&options.address, "address", "", "as gRPC writes it: unix:/path, host:port")
	flag.StringVar(&options.protos, "protos", "", "the folder that fleetshift/v1 is in")
	flag.StringVar(&options.channel, "channel", "greetings", "the channel to open")
	flag.UintVar(&options.version, "version", 1, "the one version that is spoken")
	flag.IntVar(&options.count, "count", 1, "how many messages are waited for, and sent")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	outcome, err := talk(ctx, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
		os.Exit(1)
	}
}
