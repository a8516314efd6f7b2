package config

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const deploy = "../../../deploy/"

// manifest has the fields of a Kubernetes object that the tests read.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas int
		Strategy struct{ Type string }
		Template struct {
			Spec struct {
				TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
				Volumes                       []struct {
					ConfigMap struct{ Name string } `yaml:"configMap"`
				}
				Containers []struct {
					Args           []string
					LivenessProbe  probe `yaml:"livenessProbe"`
					ReadinessProbe probe `yaml:"readinessProbe"`
				}
			}
		}
	}
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// manifests reads all objects of a file.
func manifests(t *testing.T, file string) []manifest {
	t.Helper()
	f, err := os.Open(deploy + "kubernetes/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []manifest
	for d := yaml.NewDecoder(f); ; {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
}

// loads loads a file with the given flags and environment.
func loads(t *testing.T, path string, flags, environ map[string]string) *Config {
	t.Helper()
	c, err := Load(path, func(name string) (string, bool) { v, ok := environ[name]; return v, ok }, flags)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatalf("%s %v: %v", path, flags, err)
	}
	return c
}

// unitEnvironment returns the variables that a systemd unit sets.
func unitEnvironment(t *testing.T, unit string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if set, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment="); ok {
			for _, pair := range strings.Fields(set) {
				name, value, _ := strings.Cut(pair, "=")
				out[name] = value
				if unknown := UnknownVariables([]string{pair}); len(unknown) > 0 {
					t.Error(unknown[0])
				}
			}
		}
	}
	return out
}

// The settings shipped with the systemd service and the Docker composition are valid.
func TestDeployedSettings(t *testing.T) {
	for name, environ := range map[string]map[string]string{
		"systemd/unfold.yaml": unitEnvironment(t, deploy+"systemd/unfold.service"),
		"compose/unfold.yaml": nil,
	} {
		if c := loads(t, deploy+name, nil, environ); c.State != "file:///var/lib/unfold" || c.DeadLetter.Topic == "" {
			t.Errorf("%s: state %q, dead letters in %q", name, c.State, c.DeadLetter.Topic)
		}
	}
}

// Every process of the manifests has valid settings and enough time to stop, and its probes request
// existing pages. Learners are stopped before they are replaced.
func TestManifests(t *testing.T) {
	for _, c := range []struct {
		file, role string
		alone      bool
	}{{"learner.yaml", RoleLearn, true}, {"single.yaml", RoleAll, true}, {"embedder.yaml", RoleEmbed, false}} {
		t.Run(c.role, func(t *testing.T) {
			deployments := 0
			settings := filepath.Join(t.TempDir(), "unfold.yaml")
			objects := append(manifests(t, c.file), manifests(t, "settings.yaml")...)
			for _, m := range objects {
				if m.Kind != "Deployment" {
					continue
				}
				deployments++
				if alone := m.Spec.Replicas == 1 && m.Spec.Strategy.Type == "Recreate"; alone != c.alone {
					t.Errorf("%d replicas, strategy %q", m.Spec.Replicas, m.Spec.Strategy.Type)
				}
				pod := m.Spec.Template.Spec
				if pod.TerminationGracePeriodSeconds < 20 || len(pod.Containers) != 1 {
					t.Errorf("%d s to stop, %d containers", pod.TerminationGracePeriodSeconds, len(pod.Containers))
				}
				process := pod.Containers[0]
				if process.LivenessProbe.HTTPGet.Port != "probe" || process.ReadinessProbe.HTTPGet.Port != "probe" {
					t.Errorf("it is probed at %q and %q, which others can flood", process.LivenessProbe.HTTPGet.Port, process.ReadinessProbe.HTTPGet.Port)
				}
				if process.LivenessProbe.HTTPGet.Path != "/livez" || process.ReadinessProbe.HTTPGet.Path != "/readyz" {
					t.Errorf("it is asked for %q and %q", process.LivenessProbe.HTTPGet.Path, process.ReadinessProbe.HTTPGet.Path)
				}
				args := strings.Join(process.Args, " ")
				rest, ok := strings.CutPrefix(args, "run -c /etc/unfold/unfold.yaml --role ")
				if !ok {
					t.Fatalf("it is started as %q", args)
				}
				role, state, _ := strings.Cut(rest, " --state ")
				for _, s := range objects {
					if s.Kind == "ConfigMap" && s.Metadata.Name == pod.Volumes[0].ConfigMap.Name {
						if err := os.WriteFile(settings, []byte(s.Data["unfold.yaml"]), 0o600); err != nil {
							t.Fatal(err)
						}
					}
				}
				flags := map[string]string{"role": role}
				if state != "" {
					flags["state"] = state
				}
				got := loads(t, settings, flags, nil)
				if got.Role != c.role || got.HTTP != "0.0.0.0:8080" || c.alone != (state == "/var/lib/unfold") {
					t.Errorf("role %q, pages at %q, state %q", got.Role, got.HTTP, state)
				}
			}
			if deployments != 1 {
				t.Errorf("%d deployments", deployments)
			}
		})
	}
}
