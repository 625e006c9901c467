package project

import "errors"

// ErrTool is the kind of an error when the project's own build failed.
var ErrTool = errors.New("the project's build failed")
