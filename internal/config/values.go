package config

import (
	"strconv"
	"time"
)

// seconds is the value of a flag that takes a time: a number of seconds, or a duration in
// Go's notation.
type seconds float64

func (s *seconds) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }
func (s *seconds) Type() string   { return "seconds" }

func (s *seconds) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		n = d.Seconds()
	}
	if err == nil {
		*s = seconds(n)
	}
	return err
}

// Wanted says what a flag takes, by the type of its value.
func Wanted(kind string) string {
	switch kind {
	case "uint64":
		return "an integer from 0 to 2^64-1"
	case "int":
		return "an integer"
	case "seconds":
		return "seconds (90) or a duration with its unit (90s, 5m)"
	case "bool":
		return "true or false"
	case "string":
		return "a string"
	case "stringArray", "stringSlice":
		return "a string or a list of strings"
	}
	return kind
}
