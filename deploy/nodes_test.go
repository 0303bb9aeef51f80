package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// nodes returns the services of nodes.yml beside the roles, all profiles of it on.
func nodes(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yml", "nodes.yml"}, cli.WithProfiles([]string{"*"}), cli.WithResolvedPaths(true),
		cli.WithEnv([]string{"POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q", "API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w",
			"SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o", "BITCOIN_RPC_PASSWORD=b", "LITECOIN_RPC_PASSWORD=l", "MONERO_WALLET_PASSWORD=m"}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Nobody outside reaches a node, roles do, and no node runs unless its profile is named.
func TestNodesAreForRolesAlone(t *testing.T) {
	t.Parallel()
	p, plain := nodes(t), project(t)
	for name, service := range p.Services {
		if _, role := plain.Services[name]; role {
			continue
		}
		if len(service.Profiles) != 1 {
			t.Errorf("%s runs without its profile", name)
		}
		if len(service.Ports) > 0 {
			t.Errorf("%s is published", name)
		}
		if service.NetworkMode == "none" {
			continue
		}
		if _, reached := service.Networks["outside"]; !reached {
			t.Errorf("%s is not reached by roles", name)
		}
		if len(service.Volumes) == 0 || service.StopGracePeriod == nil || service.Restart != "unless-stopped" {
			t.Errorf("%s does not keep its blocks", name)
		}
	}
}

// The example of a networks file finds each node by its name, and each node is in it.
func TestNodesHaveTheNamesOfTheExample(t *testing.T) {
	t.Parallel()
	p, example, said := nodes(t), read(t, "networks.example.yaml"), read(t, "nodes.yml")
	for _, name := range []string{"bitcoin", "litecoin", "ethereum", "tron", "cardano", "monerod", "moneroview", "monerospend"} {
		if _, runs := p.Services[name]; !runs {
			t.Errorf("there is no %s", name)
		}
		if !regexp.MustCompile(fmt.Sprintf(`# (http|ws)://(causeway:PASSWORD@)?%s:\d+`, name)).MatchString(said) {
			t.Errorf("the address of %s is not said", name)
		}
	}
	for _, found := range regexp.MustCompile(`(?:http|ws)://(?:[^@/ ]+@)?([a-z]+):\d+`).FindAllStringSubmatch(example, -1) {
		if _, runs := p.Services[found[1]]; !runs && !slices.Contains([]string{"ton", "rippled"}, found[1]) { // no image of theirs is kept up
			t.Errorf("the example names %s, which is no service", found[1])
		}
	}
}

// What connectors ask of nodes is on: transactions by their ids, and calls of roles of other containers.
func TestNodesAnswerWhatConnectorsAsk(t *testing.T) {
	t.Parallel()
	p := nodes(t)
	for name, needs := range map[string][]string{
		"bitcoin":     {"-txindex", "-server", "-rpcbind=0.0.0.0", "-rpcpassword=b"},
		"litecoin":    {"-txindex", "-server", "-rpcbind=0.0.0.0", "-rpcpassword=l"},
		"ethereum":    {"--http", "--http.addr=0.0.0.0", "--http.api=eth,net,web3,debug"},
		"monerod":     {"--rpc-bind-ip=0.0.0.0", "--confirm-external-bind"},
		"moneroview":  {"--wallet-dir=/data", "--daemon-address=http://monerod:18081", "--trusted-daemon"},
		"monerospend": {"--wallet-dir=/data", "--daemon-address=http://monerod:18081", "--trusted-daemon", "--rpc-login=causeway:m"},
	} {
		said := slices.Concat(p.Services[name].Entrypoint, p.Services[name].Command)
		for _, flag := range needs {
			if !slices.Contains(said, flag) {
				t.Errorf("%s is not started with %s", name, flag)
			}
		}
	}
}
