package settings

import (
	"io"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// maxSettingsFile bounds a tool's configuration file. Real ones have a few KB;
// 1 MiB is arbitrary.
const maxSettingsFile = 1 << 20

// Read reads a tool's configuration.
func Read(file string) (string, error) {
	opened, err := reading.Open(file)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, maxSettingsFile+1))
	if err == nil && len(text) > maxSettingsFile {
		err = &reading.Error{Origin: file, Kind: reading.ErrTooLarge, Problem: "larger than " + reading.SizeText(maxSettingsFile)}
	}
	return string(text), err
}
