// Command temporal-server is Temporal's own server, built from its module at the version that go.mod pins, with SQLite as its
// only database. Its argument is a configuration file. Every call is allowed.
package main

import (
	"fmt"
	"os"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/temporal"
)

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(file string) error {
	settings, err := config.Load(config.WithConfigFile(file))
	if err != nil {
		return err
	}
	server, err := temporal.NewServer(
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithConfig(settings),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(settings.Log))),
		temporal.InterruptOn(temporal.InterruptCh()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
	)
	if err != nil {
		return err
	}
	return server.Start()
}
