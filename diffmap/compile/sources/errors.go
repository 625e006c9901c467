package sources

import "errors"

// ErrImport is the kind of a [reading.Error] about a source that cannot be had.
var ErrImport = errors.New("import not found")
