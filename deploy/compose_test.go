// Package deploy holds everything needed to run the roles apart, and tests to keep it true to the code.
package deploy

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func compose(t *testing.T, environment ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yml"}, cli.WithEnv(environment), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := compose(t, "POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q", "API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w", "SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRolesApart(t *testing.T) {
	t.Parallel()
	p := project(t)
	for service, command := range map[string]string{
		"api": "api", "worker": "worker --queues chain,webhooks,upkeep", "signer": "worker --queues signing",
		"scheduler": "scheduler", "migrate": "migrate up",
	} {
		role := p.Services[service]
		if got := strings.Join(role.Command, " "); got != command {
			t.Errorf("%s runs %q", service, got)
		}
		if service == "migrate" {
			continue
		}
		if role.DependsOn["migrate"].Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s does not wait for the schema", service)
		}
		if role.StopGracePeriod == nil || role.StopGracePeriod.String() != "40s" {
			t.Errorf("%s is killed before it has ended what it holds", service)
		}
	}
	if waits := p.Services["migrate"].DependsOn; waits["postgres"].Condition != types.ServiceConditionHealthy {
		t.Errorf("migrate waits for %v", waits)
	}
}

// A process that goes wrong takes nothing from the others on its machine.
func TestEachContainerIsBounded(t *testing.T) {
	t.Parallel()
	for name, service := range project(t).Services {
		if service.MemLimit <= 0 || service.PidsLimit <= 0 {
			t.Errorf("%s has %d bytes of memory and %d processes", name, service.MemLimit, service.PidsLimit)
		}
	}
}

func TestOnlyTheSignerHasKeys(t *testing.T) {
	t.Parallel()
	for name, service := range project(t).Services {
		if _, seals := service.Environment["SEAL_KEY"]; seals != (name == "signer" || name == "api") {
			t.Errorf("%s has the key of seals: %v", name, seals)
		}
		seen := slices.ContainsFunc(service.Volumes, func(v types.ServiceVolumeConfig) bool { return strings.HasSuffix(v.Source, "deploy/signer") })
		if seen != (name == "signer") {
			t.Errorf("%s sees the seed: %v", name, seen)
		}
	}
}

// The networks file is the operator's own: no upgrade of the checkout touches it, and without it nothing starts.
func TestTheNetworksFileIsTheOperators(t *testing.T) {
	t.Parallel()
	if !slices.Contains(strings.Split(read(t, "../.gitignore"), "\n"), "/deploy/networks.yaml") {
		t.Error("git does not ignore it")
	}
	for _, name := range roles {
		if !slices.ContainsFunc(project(t).Services[name].Volumes, func(v types.ServiceVolumeConfig) bool {
			return strings.HasSuffix(v.Source, "deploy/networks.yaml") && v.ReadOnly && v.Bind != nil && !bool(v.Bind.CreateHostPath)
		}) {
			t.Errorf("%s does not ask for it", name)
		}
	}
}

func TestServersKeepWhatTheyAreGiven(t *testing.T) {
	t.Parallel()
	p := project(t)
	redis := strings.Join(p.Services["redis"].Command, " ")
	for _, want := range []string{"--appendonly yes", "--maxmemory-policy noeviction", "--requirepass r"} {
		if !strings.Contains(redis, want) {
			t.Errorf("redis runs without %s: %s", want, redis)
		}
	}
	for _, name := range []string{"postgres", "redis"} {
		service := p.Services[name]
		if len(service.Volumes) == 0 || len(service.Ports) > 0 || !p.Networks["data"].Internal || len(service.Networks) != 1 {
			t.Errorf("%s: volumes %v, ports %v, networks %v", name, service.Volumes, service.Ports, service.Networks)
		}
	}
}

func TestServicesAreWatchedAndPinned(t *testing.T) {
	t.Parallel()
	for name, service := range project(t).Services {
		if name != "migrate" && (service.HealthCheck == nil || len(service.HealthCheck.Test) < 2) {
			t.Errorf("%s has no health check", name)
		}
		if _, tag, ok := strings.Cut(service.Image, ":"); !ok || tag == "latest" {
			t.Errorf("%s runs %s", name, service.Image)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s to everybody", name, port.Published)
			}
		}
	}
}

func TestSecretsMustBeSaid(t *testing.T) {
	t.Parallel()
	all := []string{"POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q",
		"API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w", "SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o"}
	for i, one := range all {
		name, _, _ := strings.Cut(one, "=")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := compose(t, slices.Delete(slices.Clone(all), i, i+1)...); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("without it: %v", err)
			}
			if !strings.Contains(read(t, "example.env"), "\n"+name+"=\n") {
				t.Error("is not in example.env, or has a value there")
			}
		})
	}
}

// A sandbox beside live networks is there for every role once it is named, and for none before.
func TestEveryRoleHasTheSandbox(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []string{"", "causeway_sandbox"} {
		p, err := compose(t, "POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q", "SANDBOX_DATABASE="+sandbox,
			"API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w", "SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range roles {
			want := ""
			if sandbox != "" {
				want = strings.Replace(*p.Services[name].Environment["DATABASE_URL"], "/causeway?", "/causeway_sandbox?", 1)
			}
			if got := p.Services[name].Environment["SANDBOX_DATABASE_URL"]; got == nil || *got != want {
				t.Errorf("%s has %v, not %q", name, got, want)
			}
		}
	}
}

// Each process logs in to the database as its own role, the owner of the schema is migrate's alone, and the operator the scheduler's.
func TestEachRoleLogsInAsItself(t *testing.T) {
	t.Parallel()
	logsInAsItself(t, project(t), "causeway")
	named, err := compose(t, "POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q", "API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w",
		"SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o", "SANDBOX_DATABASE=causeway_sandbox", "DATABASE_ROLES=shop")
	if err != nil {
		t.Fatal(err)
	}
	logsInAsItself(t, named, "shop")
}

// logsInAsItself compares the users in a project's addresses with the roles of a prefix.
func logsInAsItself(t *testing.T, p *types.Project, prefix string) {
	t.Helper()
	for name, service := range p.Services {
		for _, value := range service.Environment {
			if value == nil {
				continue
			}
			for _, user := range regexp.MustCompile(`postgres://([a-z_]+):`).FindAllStringSubmatch(*value, -1) {
				own := map[string][]string{"migrate": {"causeway"}, "scheduler": {prefix + "_scheduler", prefix + "_operator"}}[name]
				if own == nil {
					own = []string{prefix + "_" + name}
				}
				if !slices.Contains(own, user[1]) {
					t.Errorf("%s logs in as %s", name, user[1])
				}
			}
		}
		if passwords := service.Environment["DATABASE_PASSWORDS"]; (passwords != nil) != (name == "migrate") {
			t.Errorf("%s has all passwords", name)
		}
	}
}

// roles are the services running causeway.
var roles = []string{"api", "worker", "signer", "scheduler", "migrate"}

// known are the settings of the environment.
func known(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, found := range regexp.MustCompile(`env:"([A-Z_]+)"`).FindAllStringSubmatch(read(t, "../internal/cli/settings/settings.go"), -1) {
		out[found[1]] = true
	}
	return out
}

// A name without a setting would be ignored in silence, and a setting not passed on has its default in silence.
func TestEnvironmentNamesSettings(t *testing.T) {
	t.Parallel()
	settings := known(t)
	elsewhere := map[string]string{"DATA_DIR": "is of causeway dev", "LISTEN_ADDR": "api", "RATE_LIMIT": "api",
		"AUTH_FAILURES": "api", "DATABASE_READ_URL": "api", "SEAL_KEY": "api and signer", "OPERATOR_DATABASE_URL": "scheduler",
		"SANDBOX_OPERATOR_DATABASE_URL": "scheduler", "DATABASE_PASSWORDS": "migrate"}
	for _, name := range roles {
		given := project(t).Services[name].Environment
		for variable := range given {
			if !settings[variable] && variable != "GOGC" {
				t.Errorf("%s is given %s, which is no setting of %v", name, variable, slices.Sorted(maps.Keys(settings)))
			}
		}
		for setting := range settings {
			if _, is := given[setting]; !is && (elsewhere[setting] == "" || elsewhere[setting] == name) {
				t.Errorf("%s is not given %s", name, setting)
			}
		}
	}
}

// Settings in .env reach the roles under their own names, and example.env names all of them.
func TestWhatTheFileSaysReachesRoles(t *testing.T) {
	t.Parallel()
	example := read(t, "example.env")
	asked := map[string]bool{}
	for _, found := range regexp.MustCompile(`\$\{([A-Z_]+)`).FindAllStringSubmatch(read(t, "../docker-compose.yml")+read(t, "nodes.yml"), -1) {
		if asked[found[1]] = true; !regexp.MustCompile(`(?m)^#?` + found[1] + `=`).MatchString(example) {
			t.Errorf("example.env does not name %s", found[1])
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^#?([A-Z_]+)=`).FindAllStringSubmatch(example, -1) {
		if !asked[found[1]] {
			t.Errorf("example.env names %s, which nothing reads", found[1])
		}
	}
	for variable := range asked {
		p, err := compose(t, "POSTGRES_PASSWORD=p", "REDIS_PASSWORD=r", "SECRETS_KEY=s", "SEAL_KEY=q", "API_DB_PASSWORD=a", "WORKER_DB_PASSWORD=w", "SIGNER_DB_PASSWORD=g", "SCHEDULER_DB_PASSWORD=c", "OPERATOR_DB_PASSWORD=o", variable+"=said")
		if err != nil {
			t.Fatal(err)
		}
		got, is := p.Services["api"].Environment[variable]
		if is != (known(t)[variable] || variable == "GOGC") || is && (got == nil || *got != "said") {
			t.Errorf("%s reaches the api as %v", variable, got)
		}
	}
}

func TestImageIsBuiltWithOurGo(t *testing.T) {
	t.Parallel()
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))[1]
	if dockerfile := read(t, "../Dockerfile"); !strings.Contains(dockerfile, "FROM golang:"+want+"-") ||
		!strings.Contains(dockerfile, "\nUSER 65532") {
		t.Errorf("not Go %s, or not an ordinary user:\n%s", want, dockerfile)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
