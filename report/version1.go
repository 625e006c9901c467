package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// renamed are the fields of version 1 of report.json that have other names in version 2.
var renamed = []struct{ in, old, new string }{
	{"builds", "mapping", "debug"},
	{"builds", "shippedGenerator", "releaseGenerator"},
	{"builds", "shippedEvmVersion", "releaseEvmVersion"},
	{"world", "setUps", "setups"},
	{"targets", "shipped", "release"},
	{"targets", "shippedReason", "releaseReason"},
	{"targets", "setUp", "setup"},
	{"findings", "novelty", "comparison"},
	{"findings", "noveltyReason", "comparisonReason"},
	{"findings", "shipped", "release"},
	{"findings", "shippedReason", "releaseReason"},
	{"findings", "storageLeft", "storageOmitted"},
	{"selfCheck", "left", "omitted"},
	{"selfCheck.mutants", "by", "oracles"},
	{"trouble", "mends", "fixes"},
}

// fromVersion1 is a report.json of version 1 as one of [FormatVersion].
func fromVersion1(data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // seeds have more digits than float64 holds
	var r map[string]any
	if err := dec.Decode(&r); err != nil {
		return nil, err
	}
	for _, f := range renamed {
		if err := renameField(r, strings.Split(f.in, "."), f.old, f.new); err != nil {
			return nil, fmt.Errorf("%s: %w", f.in, err)
		}
	}
	r["version"] = FormatVersion
	return json.Marshal(r)
}

// renameField renames a field of the objects that a path leads to; a list stands for all of its elements.
// Values of other types stay: they are refused when the report is decoded.
func renameField(v any, in []string, old, new string) error {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if err := renameField(element, in, old, new); err != nil {
				return err
			}
		}
	case map[string]any:
		if len(in) > 0 {
			return renameField(v[in[0]], in[1:], old, new)
		}
		value, found := v[old]
		if !found {
			return nil
		}
		if _, both := v[new]; both {
			return fmt.Errorf("%s is not a field of version 1", new)
		}
		delete(v, old)
		v[new] = value
	}
	return nil
}
