// Package manifests holds the manifests for Kubernetes in docs against Kubernetes' own types. It is a module of its
// own, since the program needs none of them.
package manifests

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const folder = "../../docs/kubernetes"

// object is what of an object the tests look at.
type object struct {
	where string
	kind  string
	meta  metav1.ObjectMeta
	pod   *corev1.PodTemplateSpec
	job   *batchv1.Job
}

// objects reads the documents of all manifests strictly: a field that Kubernetes does not know, or of another type,
// is an error, and so is one that is there twice.
func objects(t *testing.T) (all []object) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(names) < 2 {
		t.Fatalf("manifests %q, %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range bytes.Split(data, []byte("\n---\n")) {
			o, err := read(text)
			if err != nil {
				t.Errorf("%s, document %d: %v", filepath.Base(name), i+1, err)
				continue
			}
			o.where = filepath.Base(name) + ", " + o.kind + " " + o.meta.Name
			all = append(all, o)
		}
	}
	return all
}

func read(text []byte) (object, error) {
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(text, &head); err != nil {
		return object{}, err
	}
	o := object{kind: head.APIVersion + " " + head.Kind}
	var err error
	switch o.kind {
	case "batch/v1 Job":
		o.job = new(batchv1.Job)
		err = strict(text, o.job)
		o.meta, o.pod = o.job.ObjectMeta, &o.job.Spec.Template
	case "apps/v1 Deployment":
		d := new(appsv1.Deployment)
		err = strict(text, d)
		o.meta, o.pod = d.ObjectMeta, &d.Spec.Template
	case "v1 Service":
		s := new(corev1.Service)
		err = strict(text, s)
		o.meta = s.ObjectMeta
	case "v1 PersistentVolumeClaim":
		c := new(corev1.PersistentVolumeClaim)
		err = strict(text, c)
		o.meta = c.ObjectMeta
	case "networking.k8s.io/v1 NetworkPolicy":
		p := new(networkingv1.NetworkPolicy)
		err = strict(text, p)
		o.meta = p.ObjectMeta
	default:
		return o, &unknown{o.kind}
	}
	return o, err
}

// strict reads a document as the API server does: names count with their case, and none may be unknown or there twice.
func strict(text []byte, into any) error {
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	mistakes, err := kjson.UnmarshalStrict(data, into)
	return errors.Join(append(mistakes, err)...)
}

type unknown struct{ kind string }

func (u *unknown) Error() string { return "the test does not know the kind " + u.kind }

// TestManifests: the documents are what Kubernetes reads.
func TestManifests(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range objects(t) {
		if o.meta.Name == "" || o.meta.Labels["app"] != "sightline" || o.meta.Labels["step"] == "" {
			t.Errorf("%s: its name or its labels are missing", o.where)
		}
		if id := o.kind + o.meta.Name; seen[id] {
			t.Errorf("%s: it is there twice", o.where)
		}
		seen[o.kind+o.meta.Name] = true
	}
}

// TestSeesMistakes holds that a misspelled field, one of another type, and one that is there twice are seen.
func TestSeesMistakes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(folder, "indexed-job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var job []byte
	for _, text := range bytes.Split(data, []byte("\n---\n")) {
		if bytes.Contains(text, []byte("completionMode: Indexed")) {
			job = text
		}
	}
	if _, err := read(job); err != nil {
		t.Fatal(err)
	}
	for old, new := range map[string]string{"backoffLimitPerIndex:": "backoffLimitPerindex:", "completions: 8": "completions: eight", "  parallelism: 8": "  completions: 8", "onExitCodes:": "exitCodes:"} {
		if edited := bytes.Replace(job, []byte(old), []byte(new), 1); bytes.Equal(edited, job) {
			t.Errorf("the Job lacks %q", old)
		} else if _, err := read(edited); err == nil {
			t.Errorf("%q is not seen", new)
		}
	}
}

// TestPods: no pod has more rights than it needs, and every pod has bounds.
func TestPods(t *testing.T) {
	for _, o := range objects(t) {
		if o.pod == nil {
			continue
		}
		spec := &o.pod.Spec
		wrong := func(is bool, what string) {
			if is {
				t.Errorf("%s: %s", o.where, what)
			}
		}
		wrong(o.pod.Labels["step"] != o.meta.Labels["step"], "its pods have another label")
		wrong(spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken, "it has a service account's token")
		s := spec.SecurityContext
		wrong(s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 || s.FSGroup == nil, "it may run as root")
		wrong(s == nil || s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault, "it has no seccomp profile")
		volumes := map[string]bool{}
		for _, v := range spec.Volumes {
			volumes[v.Name] = true
			wrong(v.HostPath != nil, "it mounts a folder of the node")
			wrong(v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil, "the volume "+v.Name+" has no limit")
		}
		for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
			s := c.SecurityContext
			wrong(s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem, c.Name+" may write to its image")
			wrong(s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation, c.Name+" may get more rights")
			wrong(s == nil || s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0, c.Name+" has capabilities")
			wrong(s != nil && s.Privileged != nil, c.Name+" is privileged")
			wrong(c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero(), c.Name+" has no bounds")
			wrong(strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":"), c.Name+" has no version")
			for _, m := range c.VolumeMounts {
				wrong(!volumes[m.Name], c.Name+" mounts "+m.Name+", which is not there")
			}
		}
	}
}

// TestJobs: what Kubernetes' API server would refuse, and exit codes that mean that trying again is of no use.
func TestJobs(t *testing.T) {
	indexed := 0
	for _, o := range objects(t) {
		if o.job == nil {
			continue
		}
		spec := &o.job.Spec
		if spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%s: a podFailurePolicy takes restartPolicy: Never", o.where)
		}
		if spec.PodFailurePolicy == nil || spec.TTLSecondsAfterFinished == nil {
			t.Errorf("%s: it has no podFailurePolicy, or stays for ever", o.where)
			continue
		}
		var final []int32
		for _, r := range spec.PodFailurePolicy.Rules {
			if (r.OnExitCodes == nil) == (r.OnPodConditions == nil) {
				t.Errorf("%s: a rule is about exit codes or about conditions", o.where)
			}
			if r.Action == batchv1.PodFailurePolicyActionFailIndex && spec.BackoffLimitPerIndex == nil {
				t.Errorf("%s: FailIndex takes backoffLimitPerIndex", o.where)
			}
			if r.OnExitCodes == nil {
				continue
			}
			if name := r.OnExitCodes.ContainerName; name == nil || !slices.ContainsFunc(spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == *name }) {
				t.Errorf("%s: a rule is about a container that is not there", o.where)
			}
			if !slices.IsSorted(r.OnExitCodes.Values) || slices.Contains(r.OnExitCodes.Values, 0) {
				t.Errorf("%s: exit codes %v", o.where, r.OnExitCodes.Values)
			}
			final = append(final, r.OnExitCodes.Values...)
		}
		want := map[string][]int32{"plan": {2, 3}, "fuzz": {2, 3}, "merge": {1, 2, 3}}[o.meta.Labels["step"]]
		if !slices.Equal(final, want) {
			t.Errorf("%s: the exit codes %v are final, want %v", o.where, final, want)
		}
		if spec.CompletionMode == nil || *spec.CompletionMode != batchv1.IndexedCompletion {
			continue
		}
		indexed++
		if spec.Completions == nil || spec.Parallelism == nil || *spec.Parallelism > *spec.Completions || spec.MaxFailedIndexes == nil || *spec.MaxFailedIndexes > *spec.Completions || spec.BackoffLimit != nil {
			t.Errorf("%s: %+v", o.where, spec)
		}
		if args := strings.Join(spec.Template.Spec.Containers[0].Args, " "); !strings.Contains(args, "--shard=$(JOB_COMPLETION_INDEX)/8 ") || *spec.Completions != 8 {
			t.Errorf("%s: %d completions of %s", o.where, *spec.Completions, args)
		}
	}
	if indexed != 1 {
		t.Errorf("%d Indexed Jobs, want one", indexed)
	}
}
