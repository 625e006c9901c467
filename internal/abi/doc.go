// Package abi encodes and decodes values as the contract ABI has them, and writes them as
// text. The rules of heads and tails, padding and offsets are here and nowhere else
// (Solidity documentation, "Contract ABI Specification",
// https://docs.soliditylang.org/en/v0.8.30/abi-spec.html).
//
// go-ethereum's accounts/abi reads ABIs and names types; [Of] and [Parse] build on it. It
// does not do for values: it makes Go values of them by reflection, of types that
// reflect.StructOf makes up, takes 30 times as long (BenchmarkEncode), and puts no bound on what
// a few bytes with shared tails decode to. A [Value] is one struct for all types instead,
// which can be made, compared, changed and shared by code that knows its [Type] at run time
// only: the fuzzer's arguments and the cheatcodes'. Tests hold that both encode alike.
package abi
