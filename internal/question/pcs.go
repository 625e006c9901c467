package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// PCs is a list of pcs, or all invalid opcodes: on the command line "2,4", in JSON
// also [2, 4] or 2.
type PCs struct {
	list    []uint32
	invalid bool
	given   bool
}

func (l *PCs) String() string { return "" }

// Type is the name of the value in --help if the usage text gives none.
func (l *PCs) Type() string { return "PCs" }

// Set parses the form used on the command line.
func (l *PCs) Set(text string) error {
	*l = PCs{given: true}
	if text == targetInvalid {
		l.invalid = true
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" && strings.TrimSpace(text) == "" {
			return nil
		}
		pc, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			return fmt.Errorf("%q is not a pc: want a number below 2^32, such as 16 or 0x10", part)
		}
		l.list = append(l.list, uint32(pc))
	}
	return nil
}

// UnmarshalJSON parses the forms used in JSON.
func (l *PCs) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return l.Set(text)
	}
	*l = PCs{given: true}
	var one uint32
	if json.Unmarshal(data, &one) == nil {
		l.list = []uint32{one}
		return nil
	}
	if err := json.Unmarshal(data, &l.list); err != nil {
		return errors.New(`pcs must be numbers below 2^32: [2, 4], 2 or "2,4"`)
	}
	return nil
}
