package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// addIndirect adds targets for code that changed without a changed line. A base that cannot
// be built is not an error: a warning says what was not looked for.
func (c *Change) addIndirect(ctx context.Context) error {
	deleted := slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool { return f.Status == unified.Deleted && IsSource(f.OldPath) })
	if !deleted && !c.deps.others() && !diffmap.ChangesDeclarations(c.Outputs, c.declarations(), c.Paths) {
		return nil
	}
	c.Redeclared = true
	if len(c.options.BaseBuilds) == 0 {
		c.deps.warn(c.log)
	}
	sides, err := c.Base(ctx)
	if ctx.Err() != nil {
		return exit.CannotFuzz("%w", err)
	}
	var unbuilt *unbuiltError
	if errors.As(err, &unbuilt) {
		for _, problem := range unbuilt.problems {
			c.log.Warn("code that changed without a changed line is unknown, since the base version%s", problem)
		}
		c.noteDeclarations()
	} else if err != nil {
		c.log.Warn("code that changed without a changed line is unknown, since the base version has no build: %s", human.OneLine(err))
		c.noteDeclarations()
		return nil
	}
	defer func() { // later steps ask the base for declarations and places in code alone
		for _, s := range sides {
			if !c.keepsBase {
				s.Base.DropStatements()
			}
		}
	}()
	alike := slices.DeleteFunc(slices.Clone(sides), func(s diffmap.BaseSide) bool { return !c.sameSettings(s) })
	if n := c.Mapping.AddIndirect(alike, c.Table, c.Paths, c.underTest); n > 0 {
		c.log.Line("base    %s with different code, although none of their lines changed", human.Plural(n, "function"))
	}
	if !c.HasTargets() {
		c.notePragmas(sides)
	}
	return nil
}

// noteDeclarations lists the sources in which declarations changed that may change code elsewhere, where
// the base has no build that says whether they do, and nothing else is fuzzed.
func (c *Change) noteDeclarations() {
	if c.HasTargets() {
		return
	}
	for i := range c.Mapping.Lines {
		l := &c.Mapping.Lines[i]
		file := l.Position.File
		if !c.isUnread(file) && l.MayChangeOthers() && c.Aside(l) == "" {
			c.Unread = append(c.Unread, report.Unread{File: file, Reason: fmt.Sprintf("line %d is a declaration that may change code elsewhere, and without a build of the base it is not known whether it does", l.Position.Line)})
		}
	}
}

// notePragmas lists the sources whose pragma got another release of the same language chosen
// for a build: that changes the code of contracts as a configuration does, in no line of it.
func (c *Change) notePragmas(sides []diffmap.BaseSide) {
	for _, s := range sides {
		if !otherCompiler(s) || len(c.ownOf(s.Head)) > 0 {
			continue
		}
		for i := range c.Diff.Files {
			f := &c.Diff.Files[i]
			if f.OldPath == "" || f.NewPath == "" || !solidity.IsSource(f.NewPath) {
				continue
			}
			head, err := c.read(f.NewPath)
			base, other := f.OldText(head)
			if err == nil && other == nil && !slices.Equal(solidity.Pragmas(head), solidity.Pragmas(base)) {
				c.Unread = append(c.Unread, report.Unread{File: f.NewPath, Reason: fmt.Sprintf("pragma solidity: it is compiled with solc %s, and on the base with %s, which changes the code of contracts, but no line of it",
					human.Printable(s.Head.Compiler), human.Printable(s.Base.Compiler))})
			}
		}
	}
}
