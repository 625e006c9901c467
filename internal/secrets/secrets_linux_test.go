package secrets

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain makes the test binary the program whose secrets are taken.
func TestMain(m *testing.M) {
	if os.Getenv("BE_THE_PROGRAM") == "" {
		os.Exit(m.Run())
	}
	getenv, err := Take()
	dumpable, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	fmt.Println("error:", err)
	fmt.Println("token:", getenv("INPUT_TOKEN"))
	fmt.Println("empty:", getenv("GH_TOKEN"))
	fmt.Println("other:", getenv("OTHER"))
	fmt.Println("dumpable:", dumpable)
	environment, err := os.ReadFile("/proc/self/environ")
	if os.Geteuid() != 0 && err != nil {
		environment = nil // not even we can read it
	}
	child, _ := exec.Command("env").Output()
	fmt.Printf("shown: %q\nchild: %q\n", environment, child)
	os.Exit(0)
}

func TestTake(t *testing.T) {
	const secret = "ghs_0123456789"
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"BE_THE_PROGRAM=1", "XINPUT_TOKEN=other", "INPUT_TOKEN=" + secret, "OTHER=kept", "GITHUB_TOKEN=" + secret, "INPUT_RPC=https://key", "ACTIONS_RUNTIME_TOKEN=" + secret, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{"error: <nil>\n", "token: " + secret + "\n", "empty: \n", "other: kept\n", "dumpable: 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	_, shown, _ := strings.Cut(text, "shown: ")
	if strings.Contains(shown, secret) || strings.Contains(shown, "https://key") {
		t.Errorf("others can read the secrets:\n%s", shown)
	}
	if os.Geteuid() == 0 && !strings.Contains(shown, "OTHER=kept") {
		t.Errorf("the rest of the environment is gone:\n%s", shown)
	}
}
