package compare

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// callsSides are the builds of testdata/calls, deployed.
func callsSides(t *testing.T) (Head, *Base) {
	t.Helper()
	sides := []diffmap.BaseSide{{Head: compiled(t, "calls/head"), Base: compiled(t, "calls/base")}}
	recipe := &deploy.Recipe{Only: []string{"Calls", "Fresh"}, Targets: []string{source + ":Calls", source + ":Fresh"}}
	d, err := deploy.Make(t.Context(), deploy.NewBuild([]*compile.Output{sides[0].Head.Copy()}, diffmap.Options{}), recipe)
	if err != nil {
		t.Fatal(err)
	}
	recipe.Only = nil
	h := Head{d, recipe}
	b, err := deployBase(t.Context(), sides, diffmap.Options{}, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, b
}

// TestCarried makes calls of the head on the base: of the function that theirs was, with arguments by name, else by type in their
// order, else zero.
func TestCarried(t *testing.T) {
	h, b := callsSides(t)
	head, base := h.Deployment.Space, b.Deployment.Space
	const to = "0x00000000000000000000000000000000000000aa"
	var out strings.Builder
	for _, call := range []string{
		"Calls.same(uint256,uint256) args (1, 2)",
		"Calls.swapped(uint256,address) args (1, " + to + ")",
		"Calls.resized(uint256,int256) args (1, 2)",
		"Calls.resized(uint256,int256) args (340282366920938463463374607431768211457, 2)",
		"Calls.unnamed(bool,uint256,uint256) args (true, 1, 2)",
		"Calls.shorter(uint256,uint256) args (1, 2)",
		"Calls.longer(uint256,uint256) args (1, 2)",
		"Calls.flat((uint256,address,uint256[2])) args ((1, " + to + ", [2, 3]))",
		"Calls.packed(uint256,address,uint256[2]) args (1, " + to + ", [2, 3])",
		"Calls.latter(uint256,uint256) args (1, 2)",
		"Calls.over(uint128) args (1)",
		"Calls.over(uint256,uint128) args (1, 2)",
		"Calls.typed(bytes,string) args (0x01, \"a\")",
		"Calls.swap(uint128,uint256) args (1, 2)",
		"Calls.inherited(uint256,uint128) args (1, 2)",
		"Calls.fresh(uint256) args (1)",
		"Calls.fallback args (0x00)",
		"Calls.receive value 1",
		"Fresh.set(uint256) args (1)",
		"Calls.fresh(uint256) args (1)\ndeployer Calls.fresh(uint256) args (2)\ndeployer Calls.same(uint256,uint256) args (1, 2)\ndeployer Fresh.set(uint256) args (1)",
	} {
		seq, err := input.Parse(head, "sightline-sequence v1\ndeployer "+call+"\n")
		if err != nil {
			t.Fatal(err)
		}
		c := b.toBase(head, base, seq)
		fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(call, "\ndeployer ", "; "))
		for i, line := range strings.Split(strings.TrimSpace(input.Format(base, c.sequence)), "\n")[1:] {
			fmt.Fprintf(&out, "  %d: %s\n", c.calls[i], strings.TrimPrefix(line, "deployer "))
		}
		if len(c.takes) > 0 {
			fmt.Fprintf(&out, "  takes %q\n", c.takes)
		}
		if c.missing != "" {
			fmt.Fprintf(&out, "  missing: %s\n", c.missing)
		}
	}
	golden.Check(t, "testdata/calls/carried.golden", out.String())
}

// TestCarriedBack: calls of the base are made on the head if all of them are known to have become something there.
func TestCarriedBack(t *testing.T) {
	h, b := callsSides(t)
	head, base := h.Deployment.Space, b.Deployment.Space
	there, err := input.Parse(base, "sightline-sequence v1\ndeployer Calls.same(uint256,uint256) args (1, 2)\ndeployer Calls.former(uint256,uint256) args (3, 4)\n")
	if err != nil {
		t.Fatal(err)
	}
	latter := head.Instances[0].Callable("latter(uint256,uint256)")
	if latter == nil {
		t.Fatal("the head has no latter")
	}
	seq, whole := b.toHead(base, head, there, map[string]*input.Function{"Calls.former(uint256,uint256)": latter})
	const want = "sightline-sequence v1\ndeployer Calls.same(uint256,uint256) args (1, 2)\ndeployer Calls.latter(uint256,uint256) args (4, 3)\n"
	if got := input.Format(head, seq); got != want || !whole {
		t.Errorf("%q, whole %t", got, whole)
	}
	if seq, whole := b.toHead(base, head, there, nil); len(seq) != 1 || whole {
		t.Errorf("%d calls, whole %t: what became of one is not known", len(seq), whole)
	}
}

// TestCarriedScripts: what the attacker's contract calls in the middle of a call is carried as far as it is there, and the head's
// call stays as it is.
func TestCarriedScripts(t *testing.T) {
	h, b := callsSides(t)
	head, base := h.Deployment.Space, b.Deployment.Space
	outsider := head.Senders[head.Outsider()].Name
	text := "sightline-sequence v1\n" + outsider + " Calls.call(address) args (0x00000000000000000000000000000000000000aa) on payment times 1 calls {Calls.fresh(uint256) args (1); Calls.latter(uint256,uint256) args (1, 2)} returns (1)\n"
	seq, err := input.Parse(head, text)
	if err != nil {
		t.Fatal(err)
	}
	c := b.toBase(head, base, seq)
	if got := input.Format(base, c.sequence); !strings.Contains(got, "calls {Calls.former(uint256,uint256) args (2, 1)}") || strings.Contains(got, "fresh") {
		t.Errorf("%s", got)
	}
	if len(c.takes) != 1 || c.takes[0] != "Calls.fresh(uint256)" {
		t.Errorf("takes %q", c.takes)
	}
	if got := input.Format(head, seq); got != text {
		t.Errorf("the head's call became\n%s", got)
	}
}

// TestMissing: a sender that the base lacks keeps a call from being made, and is named; the calls after it are made.
func TestMissing(t *testing.T) {
	h, b := callsSides(t)
	head := h.Deployment.Space
	without := *b.Deployment.World
	without.Senders = without.Senders[:1]
	base, err := input.NewSpace(&without, b.Deployment.Space.Options)
	if err != nil {
		t.Fatal(err)
	}
	name := head.Senders[1].Name
	seq, err := input.Parse(head, "sightline-sequence v1\n"+name+" Calls.same(uint256,uint256) args (1, 2)\ndeployer Calls.same(uint256,uint256) args (1, 2)\n")
	if err != nil {
		t.Fatal(err)
	}
	c := b.toBase(head, base, seq)
	if want := "its World has no sender " + name; c.missing != want || len(c.sequence) != 1 || c.calls[0] != 1 {
		t.Errorf("%q, calls %v; want %q", c.missing, c.calls, want)
	}
	for _, c := range []struct {
		err  error
		want string
	}{{nil, "a call is lost"}, {errors.New("too long"), "too long"}} {
		if got := problemOf(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
