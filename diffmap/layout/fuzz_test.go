package layout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// read reads a layout as a build without an AST has it.
func read(text string) (*Layout, error) {
	c := &compile.Contract{Contract: bytecode.Contract{Name: "C", Source: "c.sol"}, StorageLayout: json.RawMessage(text)}
	return NewUnit(&compile.Output{}, nil).Layout(c)
}

const (
	plain = `{"storage":[{"label":"a","offset":0,"slot":"0","type":"t_uint128"},{"label":"b","offset":16,"slot":"0","type":"t_uint128"}],
		"types":{"t_uint128":{"encoding":"inplace","label":"uint128","numberOfBytes":"16"}}}`
	nested = `{"storage":[{"label":"s","offset":0,"slot":"0","type":"t_struct(S)1_storage"}],"types":{
		"t_struct(S)1_storage":{"encoding":"inplace","label":"struct S","numberOfBytes":"64","members":[{"label":"m","offset":0,"slot":"0","type":"t_mapping"},{"label":"l","offset":0,"slot":"1","type":"t_array"}]},
		"t_mapping":{"encoding":"mapping","label":"m","numberOfBytes":"32","key":"t_uint","value":"t_struct(S)1_storage"},
		"t_array":{"encoding":"inplace","label":"uint[1]","numberOfBytes":"32","base":"t_uint"},
		"t_uint":{"encoding":"inplace","label":"uint256","numberOfBytes":"32"}}}`
)

// TestReadLayout: what no compiler writes is refused, whoever wrote it.
func TestReadLayout(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"good":                {plain, ""},
		"a struct in itself":  {nested, ""},
		"none":                {"null", ErrNoLayout.Error()},
		"no JSON":             {"{", "cannot be read"},
		"no type":             {strings.Replace(plain, `"t_uint128":`, `"t_other":`, 1), `the type "t_uint128" is not described`},
		"a negative slot":     {strings.Replace(plain, `"slot":"0"`, `"slot":"-1"`, 1), `is at slot "-1"`},
		"far too far":         {strings.Replace(plain, `"slot":"0"`, `"slot":"`+strings.Repeat("9", 80)+`"`, 1), "is at slot"},
		"an offset":           {strings.Replace(plain, `"offset":16`, `"offset":32`, 1), "offset 32"},
		"bytes":               {strings.Replace(plain, `"numberOfBytes":"16"`, `"numberOfBytes":""`, 1), `has "" bytes`},
		"itself, in place":    {strings.Replace(nested, `"slot":"1","type":"t_array"`, `"slot":"1","type":"t_struct(S)1_storage"`, 1), `the type "struct S" holds itself`},
		"itself, in an array": {strings.Replace(nested, `"base":"t_uint"`, `"base":"t_struct(S)1_storage"`, 1), "holds itself"},
		"too many":            {`{"storage":[` + strings.Repeat(`{"label":"a","offset":0,"slot":"0","type":"t"},`, maxVariables) + `{}]}`, "at most 1024 are compared"},
	} {
		_, err := read(test.text)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// FuzzCompare compares any two layouts that can be read.
func FuzzCompare(f *testing.F) {
	f.Add(plain, nested)
	f.Add(nested, strings.ReplaceAll(nested, "64", "96"))
	f.Fuzz(func(t *testing.T, before, after string) {
		base, err := read(before)
		if err != nil {
			return
		}
		if head, err := read(after); err == nil {
			Compare(base, head)
		}
	})
}
