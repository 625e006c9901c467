package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// marks is the base contract of a maze in forge: it records which assertions
// are raised. Each is recorded once per run of forge's, whose cost is
// negligible: a run has 500 calls.
//
//go:embed Marks.sol
var marks string

// test lets forge call the maze. Nothing fails, so that it goes on.
const test = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {Maze} from "../src/Maze.sol";

contract MazeTest {
    address[] private contracts;

    function setUp() public {
        contracts.push(address(new Maze()));
    }

    function targetContracts() public view returns (address[] memory) {
        return contracts;
    }

    function invariant_holds() public view {}
}
`

// raisedFile is where marks are written, in the project's folder.
const raisedFile = "raised.txt"

// forge runs forge on the maze.
func (s *subject) forge(ctx context.Context, run *harness.Run, guided bool, limit time.Duration) (*attempt, error) {
	folder := filepath.Join(run.Cache, "forge", "mazes", fmt.Sprintf("%d-%d", s.maze.Seed, s.maze.Size))
	if s.project == nil {
		source := s.maze.Source(func(id int) string { return fmt.Sprintf("mark(%d);", id) })
		source = strings.Replace(source, "contract Maze {", "import {Marks} from \"./Marks.sol\";\n\ncontract Maze is Marks {", 1)
		var err error
		s.project, err = forge.NewProject(folder, s.modules, compiler, map[string][]byte{
			"src/Maze.sol": []byte(source), "src/Marks.sol": []byte(marks), "test/Maze.t.sol": []byte(test),
		})
		if err != nil {
			return nil, err
		}
		// Compiles, so that no measurement has to.
		if _, err := s.project.Run(ctx, "MazeTest", false, time.Second, run.Seed); err != nil {
			return nil, err
		}
	}
	written := filepath.Join(folder, raisedFile)
	if err := os.Remove(written); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r, err := s.project.Run(ctx, "MazeTest", guided, limit, run.Seed)
	if err != nil {
		return nil, err
	}
	a := &attempt{raised: map[int]bool{}, effort: fmt.Sprintf("%.0f calls", r.Calls)}
	text, err := os.ReadFile(written)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range strings.FieldsSeq(string(text)) {
		id, err := strconv.Atoi(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", raisedFile, err)
		}
		a.raised[id] = true
	}
	return a, nil
}
