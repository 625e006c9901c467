package evm

import (
	"slices"
)

// Clone is a copy that the machine's next run does not touch. Programs are
// shared: they are immutable.
func (e *Execution) Clone() *Execution {
	c := &Execution{
		Calls:     slices.Clone(e.Calls),
		Frames:    slices.Clone(e.Frames),
		Covered:   slices.Clone(e.Covered),
		Truncated: e.Truncated,
		Trace:     e.Trace.clone(),
		reused:    e.reused,
	}
	for i := range c.Calls {
		c.Calls[i].Output = slices.Clone(c.Calls[i].Output)
	}
	for i := range c.Frames {
		f := &c.Frames[i]
		f.Input, f.Output = slices.Clone(f.Input), slices.Clone(f.Output)
		f.Path, f.Tail = slices.Clone(f.Path), slices.Clone(f.Tail)
		f.Comparisons = slices.Clone(f.Comparisons)
		f.Storage = slices.Clone(f.Storage)
		f.Logs = slices.Clone(f.Logs)
		for j := range f.Logs {
			f.Logs[j].Topics = slices.Clone(f.Logs[j].Topics)
			f.Logs[j].Data = slices.Clone(f.Logs[j].Data)
		}
	}
	return c
}

// Clone is a copy of the sequence that shares nothing with it.
func (s Sequence) Clone() Sequence {
	c := slices.Clone(s)
	for i := range c {
		c[i].Data = slices.Clone(c[i].Data)
		c[i].Instructions = slices.Clone(c[i].Instructions)
		c[i].Overwrites = slices.Clone(c[i].Overwrites)
	}
	return c
}
