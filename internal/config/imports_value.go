package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/human"
	"go.yaml.in/yaml/v3"
)

// importedValue is a value of such a file: a text, a list or a mapping.
type importedValue struct {
	text   string
	null   bool
	list   []importedValue
	fields []importedField // nil: not a mapping
	isList bool
	alias  bool
}

type importedField struct {
	name  string
	value importedValue
}

// empty reports whether a value is null, or an empty list or mapping.
func (v *importedValue) empty() bool {
	return v.null || v.isList && len(v.list) == 0 || v.fields != nil && len(v.fields) == 0
}

// maxDepth bounds mappings and lists within each other. Arbitrary; except for structs in
// arguments, neither tool has more than six levels.
const maxDepth = 32

var errTooDeep = fmt.Errorf("more than %d levels", maxDepth)

// parseYAML reads YAML; nil for an empty document.
func parseYAML(data []byte) (*importedValue, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil, nil //nolint:nilnil // an empty file is not an error
	}
	v, err := importedOf(document.Content[0], 0)
	return &v, err
}

// importedOf never follows an alias: a small file could be a huge value.
func importedOf(n *yaml.Node, depth int) (v importedValue, err error) {
	if depth > maxDepth {
		return v, errTooDeep
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v.text, v.null = n.Value, n.Tag == "!!null"
	case yaml.SequenceNode:
		v.isList = true
		for _, item := range n.Content {
			inner, err := importedOf(item, depth+1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, inner)
		}
	case yaml.MappingNode:
		v.fields = []importedField{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := importedOf(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			v.fields = append(v.fields, importedField{n.Content[i].Value, inner})
		}
	default:
		v.alias = true
	}
	return v, nil
}

// parseJSON reads JSON, numbers as they are written.
func parseJSON(data []byte) (*importedValue, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeImported(d, 0)
	if err == nil && d.More() {
		err = errors.New("there is data after its end")
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return &v, nil
}

func decodeImported(d *json.Decoder, depth int) (v importedValue, err error) {
	if depth > maxDepth {
		return v, errTooDeep
	}
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	switch t := token.(type) {
	case json.Delim:
		return decodeDelimited(d, t, depth)
	case string:
		v.text = t
	case json.Number:
		v.text = t.String()
	case bool:
		v.text = strconv.FormatBool(t)
	default:
		v.null = true
	}
	return v, nil
}

// decodeDelimited decodes a list or an object, whose first token has been read.
func decodeDelimited(d *json.Decoder, open json.Delim, depth int) (v importedValue, err error) {
	v.isList = open == '['
	if !v.isList {
		v.fields = []importedField{}
	}
	for d.More() {
		var name importedValue
		if !v.isList {
			if name, err = decodeImported(d, depth+1); err != nil {
				return v, err
			}
		}
		inner, err := decodeImported(d, depth+1)
		if err != nil {
			return v, err
		}
		if v.isList {
			v.list = append(v.list, inner)
		} else {
			v.fields = append(v.fields, importedField{name.text, inner})
		}
	}
	_, err = d.Token()
	return v, err
}

// single is the text of a value.
func (v *importedValue) single() (string, error) {
	if v.alias || v.isList || v.fields != nil || v.null {
		return "", errors.New("want a single value")
	}
	return v.text, nil
}

// texts are those of a list.
func (v *importedValue) texts() ([]string, error) {
	if !v.isList {
		return nil, errors.New("want a list")
	}
	var texts []string
	for i := range v.list {
		text, err := v.list[i].single()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// number is a whole number of at most 256 bits: decimal, hexadecimal, or decimal with an
// exponent, 1.2e18.
func (v *importedValue) number() (*uint256.Int, error) {
	text, err := v.single()
	if err != nil {
		return nil, err
	}
	const longest = 100 // digits of such a number, and some underscores
	n, ok := new(big.Int).SetString(text, 0)
	if !ok && len(text) <= longest {
		mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
		e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
		r, fits := new(big.Rat).SetString(mantissa)
		if has && err == nil && e >= 0 && e < longest && fits && !strings.ContainsAny(mantissa, "/px") {
			r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil)))
			n, ok = r.Num(), r.IsInt()
		}
	}
	if !ok || len(text) > longest || n.Sign() < 0 || n.BitLen() > 256 {
		return nil, fmt.Errorf("%q is not an integer in range", human.Printable(text))
	}
	return uint256.MustFromBig(n), nil
}

// plan is a value as arguments of a plan are written. An address that medusa writes as
// "DeployedContract:Name" is that of an instance by its name.
func (v *importedValue) plan(place string) world.Value {
	out := world.Value{Place: place, Text: strings.TrimPrefix(v.text, "DeployedContract:")}
	if v.isList {
		out = world.Value{Place: place, List: []world.Value{}}
		for i := range v.list {
			out.List = append(out.List, v.list[i].plan(place))
		}
	}
	if v.fields != nil {
		out = world.Value{Place: place, Fields: []world.NamedValue{}}
		for i := range v.fields {
			out.Fields = append(out.Fields, world.NamedValue{Name: v.fields[i].name, Value: v.fields[i].value.plan(place)})
		}
	}
	return out
}
