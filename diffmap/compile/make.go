package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Make compiles a project's standard-JSON input, every source's content inlined, as it is and
// with libraries linked as it says, and, where lines cannot be told apart in that, the debug build
// at the same time. origin names both in messages, and compilers say where the project is. The error is an [*reading.Error].
func Make(ctx context.Context, origin string, input []byte, compiler *solc.Compiler, compilers solc.Options, options DebugOptions) (*Again, error) {
	in, complete, err := readInput(input)
	if err != nil {
		return nil, reading.At(origin, err)
	}
	o := &Output{Origin: origin, Input: complete, Settings: in.Settings.settings(), Compiler: compiler.Version()}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	debugged := o.startDebug(inner, compiler, options)
	var own *Output
	asked, answer, err := o.answerTo(inner, compiler, options)
	if err == nil {
		own, err = ReadSolc(asked, answer, "solc "+compiler.Version(), options.Limits)
	}
	if err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	own.Compiler, own.Origin = compiler.Version(), origin
	if err := own.Locate(compilers.Root, compilers); err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	made := &Again{Own: own, Mapped: own}
	r := <-debugged
	if r.err != nil {
		return nil, r.err
	}
	if r.output != nil {
		made.Mapped = r.output
		made.Mapped.Origin = origin
		made.Mapped.filesOf(own)
	}
	return made, nil
}

// debugResult is what a debug build has become; without output and error where none is needed.
type debugResult struct {
	output *Output
	err    error
}

// startDebug begins the debug build of an output, if it needs one. The channel gets one result.
func (o *Output) startDebug(ctx context.Context, compiler *solc.Compiler, options DebugOptions) <-chan debugResult {
	debugged := make(chan debugResult, 1)
	if !o.needsDebug() {
		debugged <- debugResult{}
		return debugged
	}
	go func() {
		mapped, err := DebugBuild(ctx, o.Input, compiler, options)
		debugged <- debugResult{mapped, err}
	}()
	return debugged
}

// needsDebug reports whether an output's settings keep it from being mapped.
func (o *Output) needsDebug() bool {
	return !o.KeepsLines() || o.Settings.Linked || language(o.Input) == yulLanguage
}

// DescribeMake says what [Make] compiles, a line for people; count is the number of sources.
func DescribeMake(count int, compiler *solc.Compiler) string {
	files := "files"
	if count == 1 {
		files = "file"
	}
	return fmt.Sprintf("compiling %d %s with solc %s", count, files, compiler.Version())
}

// EVMVersionFor is the EVM version that a compiler of a version is asked for, given the one that
// a project wants: the newest one that both know, as forge does it. It is empty where the compiler
// knows none by name.
func EVMVersionFor(wanted string, v solc.Version) string {
	order := []string{"homestead", "tangerineWhistle", "spuriousDragon", "byzantium", "constantinople",
		"petersburg", "istanbul", "berlin", "london", "paris", "shanghai", "cancun", "prague", "osaka"}
	i := slices.IndexFunc(order, func(name string) bool { return strings.EqualFold(name, wanted) })
	if i < 0 || v.Less(keptSettings["evmVersion"].since) {
		return ""
	}
	for i > 0 && v.Less(evmVersionSince[order[i]]) {
		i--
	}
	return order[i]
}
