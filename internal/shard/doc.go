// Package shard is one campaign on several machines: what each of them, a shard, leaves in a
// folder, continuously, so that one that is killed leaves what it had; and what all folders
// together say, once go-ethereum has seen it.
//
// A folder has shard.json and, in sequences and code, files that are named by the SHA-256 of
// their contents. These are written first, so that whatever shard.json names is there. It may
// come from anyone: it is read within bounds, and nothing in it is believed that a reader can
// find out.
package shard
