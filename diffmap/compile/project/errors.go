package project

import "errors"

var (
	// ErrTool is the kind of an error when the project's own build failed.
	ErrTool = errors.New("the project's build failed")
	// ErrTracked is of build output that a clone brings.
	ErrTracked = errors.New("git tracks it")
)
