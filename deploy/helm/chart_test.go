// Package helm has the chart for Kubernetes, and tests that render it as Helm does.
package helm

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// given are the least values with which the chart renders.
func given() map[string]any {
	values := map[string]any{"networksSecret": "nets", "signerSecret": "seed"}
	for _, role := range []string{"api", "worker", "signer", "scheduler", "migrate"} {
		values[role] = map[string]any{"secret": role + "-secret"}
	}
	return values
}

// render returns the documents of the chart by kind and name.
func render(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir("causeway")
	require.NoError(t, err)
	require.NoError(t, chart.Validate())
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "pay", Namespace: "money", IsInstall: true}, chartutil.DefaultCapabilities)
	require.NoError(t, err)
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return nil, err
	}
	documents := map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
			var head struct {
				Kind     string
				Metadata struct{ Name string }
			}
			require.NoError(t, yaml.Unmarshal([]byte(document), &head), document)
			if head.Kind == "" {
				continue
			}
			key := head.Kind + " " + head.Metadata.Name
			require.NotContains(t, documents, key)
			documents[key] = document
		}
	}
	return documents, nil
}

// read decodes a document into the type that Kubernetes has for it, and refuses a field that is not there.
func read[T any](t *testing.T, documents map[string]string, key string) T {
	t.Helper()
	require.Contains(t, documents, key)
	var into T
	require.NoError(t, yaml.UnmarshalStrict([]byte(documents[key]), &into), documents[key])
	return into
}

// pods are the pods of all roles and of the migration.
func pods(t *testing.T, documents map[string]string) map[string]core.PodSpec {
	t.Helper()
	all := map[string]core.PodSpec{"migrate": read[batch.Job](t, documents, "Job pay-migrate").Spec.Template.Spec}
	for _, role := range []string{"api", "worker", "signer", "scheduler"} {
		all[role] = read[apps.Deployment](t, documents, "Deployment pay-"+role).Spec.Template.Spec
	}
	return all
}

func TestEachRoleRunsItsCommand(t *testing.T) {
	documents, err := render(t, given())
	require.NoError(t, err)
	commands := map[string]string{}
	for role, pod := range pods(t, documents) {
		commands[role] = strings.Join(pod.Containers[0].Args, " ")
		require.Equal(t, role+"-secret", pod.Containers[0].EnvFrom[0].SecretRef.Name)
	}
	require.Equal(t, map[string]string{"api": "api", "worker": "worker --queues chain,webhooks,upkeep", "signer": "worker --queues signing",
		"scheduler": "scheduler", "migrate": "migrate up"}, commands)
	require.Equal(t, "pre-install,pre-upgrade", read[batch.Job](t, documents, "Job pay-migrate").Annotations["helm.sh/hook"])
}

func TestOnlyTheSignerSeesTheSeed(t *testing.T) {
	documents, err := render(t, given())
	require.NoError(t, err)
	for role, pod := range pods(t, documents) {
		seen := slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Secret != nil && v.Secret.SecretName == "seed" })
		require.Equal(t, role == "signer", seen, role)
		mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath == "/etc/causeway/signer" })
		require.Equal(t, role == "signer", mounted, role)
	}
}

// A Secret's files are root's, and readable by a group at best: the signer refuses such a seed.
func TestTheSeedBecomesAFileOfTheSigner(t *testing.T) {
	documents, err := render(t, given())
	require.NoError(t, err)
	pod := pods(t, documents)["signer"]
	require.Len(t, pod.InitContainers, 1)
	require.Equal(t, []string{"sh", "-c", "umask 077 && cp -L /given/* /etc/causeway/signer/ && chmod 0400 /etc/causeway/signer/*"}, pod.InitContainers[0].Command)
	kept := slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == "signer" })
	require.Equal(t, core.StorageMediumMemory, pod.Volumes[kept].EmptyDir.Medium)
	for role, other := range pods(t, documents) {
		require.Equal(t, role == "signer", len(other.InitContainers) > 0, role)
	}
}

func TestNoRoleMayMoreThanItNeeds(t *testing.T) {
	documents, err := render(t, given())
	require.NoError(t, err)
	for role, pod := range pods(t, documents) {
		require.False(t, *pod.AutomountServiceAccountToken, role)
		require.True(t, *pod.SecurityContext.RunAsNonRoot, role)
		require.Equal(t, core.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type, role)
		for _, container := range append(pod.InitContainers, pod.Containers...) {
			require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem, role)
			require.False(t, *container.SecurityContext.AllowPrivilegeEscalation, role)
			require.Equal(t, []core.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop, role)
			require.NotZero(t, container.Resources.Limits.Memory().Value(), role)
		}
		require.Equal(t, int64(40), *pod.TerminationGracePeriodSeconds, role)
	}
}

func TestTheOperatorPortIsOpenToNamedPeersAlone(t *testing.T) {
	documents, err := render(t, given())
	require.NoError(t, err)
	for _, role := range []string{"api", "worker", "signer", "scheduler"} {
		rules := read[networking.NetworkPolicy](t, documents, "NetworkPolicy pay-"+role).Spec.Ingress
		if role != "api" {
			require.Empty(t, rules, role)
			continue
		}
		require.Len(t, rules, 1)
		require.Equal(t, "api", rules[0].Ports[0].Port.StrVal)
	}
	values := given()
	values["operators"] = []any{map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"app": "prometheus"}}}}
	documents, err = render(t, values)
	require.NoError(t, err)
	rule := read[networking.NetworkPolicy](t, documents, "NetworkPolicy pay-signer").Spec.Ingress[0]
	require.Equal(t, "operator", rule.Ports[0].Port.StrVal)
	require.Equal(t, "prometheus", rule.From[0].PodSelector.MatchLabels["app"])
}

func TestSettingsOfARoleCountBeforeThoseOfAll(t *testing.T) {
	values := given()
	values["settings"] = map[string]any{"LOG_LEVEL": "warn", "PRICE_SOURCES": "kraken"}
	values["api"] = map[string]any{"secret": "api-secret", "settings": map[string]any{"LOG_LEVEL": "debug"}}
	documents, err := render(t, values)
	require.NoError(t, err)
	environment := func(role string) map[string]string {
		set := map[string]string{}
		for _, v := range pods(t, documents)[role].Containers[0].Env {
			set[v.Name] = v.Value
		}
		return set
	}
	require.Equal(t, map[string]string{"LOG_LEVEL": "debug", "PRICE_SOURCES": "kraken", "NETWORKS_FILE": "/etc/causeway/networks.yaml",
		"OPERATOR_ADDR": "0.0.0.0:8081", "LISTEN_ADDR": "0.0.0.0:8080"}, environment("api"))
	require.Equal(t, "warn", environment("worker")["LOG_LEVEL"])
	require.NotContains(t, environment("worker"), "LISTEN_ADDR")
}

func TestADigestPinsTheImage(t *testing.T) {
	values := given()
	values["image"] = map[string]any{"repository": "registry.example/causeway", "digest": "sha256:abc"}
	documents, err := render(t, values)
	require.NoError(t, err)
	for role, pod := range pods(t, documents) {
		require.Equal(t, "registry.example/causeway@sha256:abc", pod.Containers[0].Image, role)
	}
}

func TestIngressReachesTheAPIAlone(t *testing.T) {
	values := given()
	values["ingress"] = map[string]any{"enabled": true, "host": "pay.example.com", "tlsSecret": "tls", "className": "nginx"}
	documents, err := render(t, values)
	require.NoError(t, err)
	backend := read[networking.Ingress](t, documents, "Ingress pay-api").Spec.Rules[0].HTTP.Paths[0].Backend.Service
	require.Equal(t, "pay-api", backend.Name)
	require.Equal(t, "api", read[core.Service](t, documents, "Service "+backend.Name).Spec.Ports[0].TargetPort.StrVal)
	require.Equal(t, 1, int(read[policy.PodDisruptionBudget](t, documents, "PodDisruptionBudget pay-api").Spec.MaxUnavailable.IntVal))
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for _, missing := range []string{"networksSecret", "signerSecret", "api", "worker", "signer", "scheduler", "migrate"} {
		values := given()
		delete(values, missing)
		_, err := render(t, values)
		require.ErrorContains(t, err, missing, missing)
	}
}

// The chart is of the newest release, and of the first one before that.
func TestTheChartIsOfTheNewestRelease(t *testing.T) {
	chart, err := loader.LoadDir("causeway")
	require.NoError(t, err)
	changes, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	newest := "0.1.0"
	if released := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(changes); released != nil {
		newest = string(released[1])
	}
	require.Equal(t, newest, chart.Metadata.AppVersion)
	require.Equal(t, newest, chart.Metadata.Version)
}
