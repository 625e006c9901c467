package compile

import (
	"encoding/json"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// Part is an output as if only some of its sources had been compiled, with what they import: its
// input, sources and contracts. It shares all else with the output. It is nil where that cannot be
// had: the input is missing or lacks an import, or the part is the whole.
func (o *Output) Part(names []string) *Output {
	if o.Input == nil || language(o.Input) == yulLanguage {
		return nil
	}
	in, _, err := readInput(o.Input)
	if err != nil {
		return nil
	}
	remappings := parseRemappings(o.Settings.Remappings)
	kept := map[string]bool{}
	var queue []string
	add := func(name string) {
		if !kept[name] {
			kept[name] = true
			queue = append(queue, name)
		}
	}
	for _, name := range names {
		if in.Sources[name].Content != nil {
			add(name)
		}
	}
	for len(queue) > 0 {
		importer := queue[0]
		queue = queue[1:]
		text := in.Sources[importer].Content
		if text == nil {
			return nil // an import that means something else than it seems
		}
		for _, imported := range solidity.Imports([]byte(*text)) {
			add(sources.UnitName(remappings, imported.Path, importer))
		}
	}
	if len(kept) == 0 || len(kept) == len(in.Sources) {
		return nil
	}
	var all, texts map[string]json.RawMessage
	if json.Unmarshal(o.Input, &all) != nil || json.Unmarshal(all["sources"], &texts) != nil {
		return nil
	}
	for name := range texts {
		if !kept[name] {
			delete(texts, name)
		}
	}
	if all["sources"], err = json.Marshal(texts); err != nil {
		return nil
	}
	part := *o
	if part.Input, err = json.Marshal(all); err != nil {
		return nil
	}
	part.Sources = slices.DeleteFunc(slices.Clone(o.Sources), func(s *Source) bool { return !kept[s.Path] })
	part.Contracts = slices.DeleteFunc(slices.Clone(o.Contracts), func(c *Contract) bool { return !kept[c.Source] })
	return &part
}
