// Package mine finds laws that a World keeps in every call that was seen, without being told any:
// what holds between state variables, sums of mappings, and what contracts hold in tokens and ether.
//
// The templates are few, and each is one that auditors write themselves: a sum of a mapping is a total; what a
// contract holds covers what it owes; one variable is equal to another, or at most as large; a
// variable has one value between calls, never falls or never rises; what only an account may write; and that what
// is held covers each payment. (Mined
// likelihoods without a template's sense fail too often: Trace2Inv, FSE 2024, loses 0.32 % of benign
// transactions.)
//
// A law counts once it was at stake in many calls of several functions ([Law.Proven]). What breaks
// it once is the end of it: whoever mines runs a campaign that is told what comes near to breaking
// laws ([Miner.Near]).
package mine
