package abi

import (
	"fmt"
	"strconv"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
)

// Parse reads a parameter list as signatures have it: "(uint256,(address,bytes)[])". It
// fails where [Of] does; only the whole list may be empty. (go-ethereum's ParseSelector
// panics on some lists that are not closed, and does not know arrays of tuples but T[].)
func Parse(list string) ([]Type, error) {
	if list == "()" {
		return nil, nil
	}
	t, rest, err := parseType(list, 0)
	if err == nil && (rest != "" || t.Kind != Tuple) {
		err = fmt.Errorf("%q where the list ends", rest)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of types: %w", list, err)
	}
	return t.Fields, nil
}

// MustParse is Parse for lists that are part of the program; it panics on an error.
func MustParse(list string) []Type {
	types, err := Parse(list)
	if err != nil {
		panic("abi: " + err.Error())
	}
	return types
}

// parseType reads one type and returns what comes after it.
func parseType(s string, depth int) (t Type, rest string, err error) {
	if depth > maxDepth {
		return Type{}, "", errDeep
	}
	if strings.HasPrefix(s, "(") {
		t, s, err = parseTuple(s[1:], depth)
	} else {
		end := strings.IndexAny(s, ",)[")
		if end < 0 {
			end = len(s)
		}
		t, err = parseElementary(s[:end])
		s = s[end:]
	}
	for dimensions := 0; err == nil && strings.HasPrefix(s, "["); dimensions++ {
		length, rest, closed := strings.Cut(s[1:], "]")
		n, lengthErr := strconv.Atoi(length)
		switch {
		case depth+dimensions >= maxDepth:
			err = errDeep
		case length == "" && closed:
			t = sliceOf(&t)
		case !closed || lengthErr != nil:
			err = fmt.Errorf("%q is not an array's length", s)
		default:
			t, err = arrayOf(&t, n)
		}
		s = rest
	}
	return t, s, err
}

// parseTuple reads a tuple's fields, up to its closing parenthesis.
func parseTuple(s string, depth int) (Type, string, error) {
	var fields []Type
	for {
		field, rest, err := parseType(s, depth+1)
		if err != nil {
			return Type{}, "", err
		}
		fields = append(fields, field)
		switch {
		case strings.HasPrefix(rest, ","):
			s = rest[1:]
		case strings.HasPrefix(rest, ")"):
			t, err := tupleOf(fields)
			return t, rest[1:], err
		default:
			return Type{}, "", fmt.Errorf("%q where a type ends", rest)
		}
	}
}

func parseElementary(name string) (Type, error) {
	t, err := gethabi.NewType(name, "", nil)
	if err != nil {
		return Type{}, err
	}
	return compile(&t, 0)
}
