package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// How a shard ended.
const (
	Done     = "done"     // within its budget
	Canceled = "canceled" // it was told to stop
	Running  = "running"  // it did not: it was killed, if it is not still running
)

// Header says of which campaign a shard is, and which one of it. All but Index is the same for the
// shards of one campaign.
type Header struct {
	Campaign string `json:"campaign"` // of [Header.ID]; empty: NewWriter sets it
	Index    int    `json:"i"`        // from 0
	Of       int    `json:"n"`        // shards, from 1

	Tool string `json:"tool"`           // name and version of the program
	Plan string `json:"plan,omitempty"` // SHA-256 of the plan's file; empty: there is none

	// What the campaign was asked for.
	Seed    uint64        `json:"seed"` // the campaign's, from which each shard derives its own, see [Seed]
	Workers int           `json:"workers"`
	Timeout time.Duration `json:"timeout"` // nanoseconds; 0: none
	Calls   uint64        `json:"calls"`   // limit; 0: none

	// SHA-256 of what is fuzzed, see [Hash].
	World   string `json:"world"`
	Build   string `json:"build"`
	Targets string `json:"targets"`
}

// ID is the SHA-256 of all of the header but the index, in hexadecimal.
func (h *Header) ID() string {
	all := *h
	all.Campaign, all.Index = "", 0
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // numbers and strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Seed is the seed of shard i of n: H(seed, i). The only shard of a campaign has the campaign's own, so
// that it is the campaign.
func Seed(seed uint64, i, n int) uint64 {
	if n == 1 {
		return seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "sightline shard %d, seed %d", i, seed))
	return binary.BigEndian.Uint64(sum[:8])
}
