package diffmap

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TargetError says why a target that a user named is none.
type TargetError struct {
	Target string // as given
	Msg    string // what is wrong
	Remedy string // may be empty
}

func (e *TargetError) Error() string {
	s := fmt.Sprintf("target %q: %s", e.Target, e.Msg)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// TargetSpec is a target named by a user: FILE:LINE, or CONTRACT:0xPC of the
// runtime code.
type TargetSpec struct {
	File     string
	Line     int
	Contract string // "Vault" or "src/Vault.sol:Vault"; empty for FILE:LINE
	PC       uint32
}

// ParseTarget reads FILE:LINE or CONTRACT:0xPC. The error is a [*TargetError].
func ParseTarget(text string) (TargetSpec, error) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 || i == len(text)-1 {
		return TargetSpec{}, &TargetError{text, "neither FILE:LINE nor CONTRACT:0xPC",
			"write for example src/Vault.sol:120 or Vault:0x1f4"}
	}
	name, place := text[:i], text[i+1:]
	if hex, ok := strings.CutPrefix(strings.ToLower(place), "0x"); ok {
		pc, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			return TargetSpec{}, &TargetError{text, fmt.Sprintf("%s is not a program counter", place), "write it in hexadecimal, as in 0x1f4"}
		}
		return TargetSpec{Contract: name, PC: uint32(pc)}, nil
	}
	line, err := strconv.ParseInt(place, 10, 32)
	if err != nil || line < 1 {
		return TargetSpec{}, &TargetError{text, fmt.Sprintf("%s is not a line number", place), "lines count from 1; a program counter starts with 0x"}
	}
	return TargetSpec{File: unified.CleanPath(name), Line: int(line)}, nil
}

// ResolveTargets finds the bytecode of targets that a user named, as Map does
// for changed lines. Each must have some: the error is a [*TargetError] that
// says why one has not.
func ResolveTargets(outputs []*compile.Output, table *bytecode.Table, named []string, options Options) (*Mapping, error) {
	result := &Mapping{}
	seen := map[TargetSpec]bool{}
	var positions *Positions
	for _, text := range named {
		spec, err := ParseTarget(text)
		if err != nil {
			return nil, err
		}
		if seen[spec] {
			continue
		}
		seen[spec] = true
		if spec.Contract == "" {
			err = result.addLine(outputs, table, text, spec, options)
		} else {
			if positions == nil {
				positions = NewPositions(outputs, table, options)
			}
			err = result.addPC(outputs, positions, text, spec)
		}
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// addLine adds the targets of a whole line.
func (m *Mapping) addLine(outputs []*compile.Output, table *bytecode.Table, text string, spec TargetSpec, options Options) error {
	found, err := matchSources(outputs, spec.File, options)
	if err != nil {
		return &TargetError{text, err.Error(), ""}
	}
	var lines lineTable
	size := 0
	for _, s := range found.sources {
		if s.Text != nil && lines == nil {
			lines, size = newLineTable(s.Text), len(s.Text)
		}
	}
	if lines == nil {
		return &TargetError{text, fmt.Sprintf("%s: %s", spec.File, found.reason), "name the file as the build or the repository does"}
	}
	if spec.Line > len(lines) {
		return &TargetError{text, fmt.Sprintf("%s has only %d lines", spec.File, len(lines)), ""}
	}
	span := unified.Span{Start: lines[spec.Line-1], End: size}
	if spec.Line < len(lines) {
		span.End = lines[spec.Line]
	}
	change := unified.ChangedLine{Path: spec.File, Line: spec.Line, Kind: unified.LineEdited, Spans: []unified.Span{span}}
	mapped, err := Map(outputs, table, []unified.ChangedLine{change}, options)
	if err != nil {
		return &TargetError{text, err.Error(), ""}
	}
	line := mapped.Lines[0]
	if len(line.Targets) == 0 {
		return &TargetError{text, "the line has no bytecode: " + line.Reason, "name a line that holds a statement"}
	}
	m.append(line, mapped.Targets)
	return nil
}

// addPC adds one instruction of a contract's runtime code.
func (m *Mapping) addPC(outputs []*compile.Output, positions *Positions, text string, spec TargetSpec) error {
	c, err := namedContract(outputs, positions, text, spec.Contract)
	if err != nil {
		return err
	}
	loc := bytecode.Location{Code: c.Runtime.ID, PC: spec.PC}
	if int64(spec.PC) >= int64(len(c.Runtime.Bytes)) {
		return &TargetError{text, fmt.Sprintf("the runtime code of %s ends at 0x%x", c.Name, len(c.Runtime.Bytes)), ""}
	}
	if !positions.IsInstruction(loc) {
		return &TargetError{text, fmt.Sprintf("no instruction of %s starts at 0x%x: it is inside a PUSH or in data", c.Name, spec.PC), "take a pc from a disassembly of the runtime code"}
	}
	line := Line{Kind: unified.LineEdited, Position: bytecode.Position{File: positions.path(loc, c.Source)}}
	if p, ok := positions.At(loc); ok {
		line.Position = bytecode.Position{File: p.File, Line: p.Line}
	}
	line.Function, _ = positions.FunctionAt(loc)
	line.Targets = []int{0}
	m.append(line, []bytecode.Target{{Position: line.Position, Contract: c.QualifiedName(), Entries: []bytecode.Location{loc}}})
	return nil
}

// append adds a line and its targets.
func (m *Mapping) append(line Line, targets []bytecode.Target) {
	for i := range line.Targets {
		line.Targets[i] += len(m.Targets)
	}
	m.Lines = append(m.Lines, line)
	m.Targets = append(m.Targets, targets...)
}

// namedContract finds a contract with runtime code by its name, qualified or
// not.
func namedContract(outputs []*compile.Output, positions *Positions, text, name string) (*compile.Contract, error) {
	var found []*compile.Contract
	known, codeless := false, false
	for _, output := range outputs {
		for _, c := range output.Contracts {
			if c.Name != name && c.UnitName() != name && c.QualifiedName() != name {
				continue
			}
			known = true
			if c.Runtime == nil || positions.units[c.Runtime.ID] == nil {
				codeless = true
				continue
			}
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, c := range found {
			names[i] = c.QualifiedName()
		}
		slices.SortFunc(names, cmp.Compare[string])
		if names = slices.Compact(names); len(names) == 1 {
			return nil, &TargetError{text, fmt.Sprintf("ambiguous: %d builds have a contract %s", len(found), names[0]), "give one build"}
		}
		return nil, &TargetError{text, "ambiguous: " + strings.Join(names, ", "), "give the qualified name"}
	case codeless:
		return nil, &TargetError{text, fmt.Sprintf("%s has no bytecode: it is an interface or abstract", name), "name a contract that inherits it"}
	case !known:
		return nil, &TargetError{text, fmt.Sprintf("no contract %s in the build", name), suggestContract(outputs, name)}
	}
	return nil, &TargetError{text, fmt.Sprintf("no code of %s in the build", name), ""}
}

// suggestContract names a contract that differs only in case, or says how many
// there are.
func suggestContract(outputs []*compile.Output, name string) string {
	count := 0
	for _, output := range outputs {
		for _, c := range output.Contracts {
			if strings.EqualFold(c.Name, name) {
				return "did you mean " + c.Name + "?"
			}
			count++
		}
	}
	if count == 1 {
		return "the build has one other"
	}
	return fmt.Sprintf("the build has %d others", count)
}
