// Package lookahead is the static analysis that steers the campaign.
package lookahead
