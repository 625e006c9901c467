// Package seeds reads the corpora of other fuzzers as sequences of a Space: what Echidna,
// Medusa and forge save of their campaigns, and inputs of Sightline's own.
//
// Their files name accounts by the addresses that those have in their Worlds, and functions of
// contracts that may have changed since. What is called is found by name or by functions (place.go),
// and each call is made anew in the types that its function has now. What has no equal any more
// is left out and counted. The files may come from anyone: they are bounded (files.go), and
// nothing in them is believed beyond that.
package seeds
