package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	gh "github.com/google/go-github/v60/github"
)

// This file finds the tag that a release is compared with: what was released before it on
// the way to its commit.

// Bounds on what GitHub is asked where the checkout lacks the history.
const (
	maxTags = 5_000 // listed, 50 pages; arbitrary: ethers, a monorepo, has about 1,000
	// maxAsked bounds the tags that GitHub is asked about, one call each: as many releases on
	// other branches may lie between two of one branch. Arbitrary.
	maxAsked = 30
)

// tag is a tag of the repository, with the commit that it names.
type tag struct{ name, commit string }

// release is a tag read as a version.
type release struct {
	tag
	// series is what comes before the version: "core@", "contracts/", "release-". A
	// monorepo has one for each of its packages.
	series  string
	version *semver.Version // nil: the tag is not a version
}

// versionAtEnd matches where a version may begin in a tag: at its start or after a
// separator.
var versionAtEnd = regexp.MustCompile(`(?:^|[-/@_])([vV]?\d)`)

// versionCore matches the numbers of a version: one to three of them.
var versionCore = regexp.MustCompile(`^[vV]?\d+(?:\.\d+){0,2}`)

// readRelease reads a tag as a series and a version. Where several ends of it are versions,
// that with the most numbers counts, and of equal ones the longest: "v4-core-v1.0.2" is
// v1.0.2 of the series "v4-core-", "v1.1.0-rc-2" has no series. Dates are versions, too:
// 2024.05.01 has three numbers, and 2024-05-01 a suffix that sorts as dates do.
func readRelease(t tag) release {
	r := release{tag: t}
	numbers := 0
	for _, at := range versionAtEnd.FindAllStringSubmatchIndex(t.name, -1) {
		text := t.name[at[2]:]
		version, err := semver.NewVersion(strings.Replace(text, "V", "v", 1))
		if err != nil {
			continue
		}
		if n := 1 + strings.Count(versionCore.FindString(text), "."); n > numbers {
			r.series, r.version, numbers = t.name[:at[2]], version, n
		}
	}
	return r
}

// before reports whether a release may be the one before another: of the same series and not
// higher. One that is not a prerelease is compared with others that are not. Of equal versions
// (1.0.0 and v1.0.0, 1.0.0+1 and 1.0.0+2) the history decides.
func (r *release) before(next *release) bool {
	return r.name != next.name && r.version != nil && r.series == next.series &&
		r.version.Compare(next.version) <= 0 && (next.version.Prerelease() != "" || r.version.Prerelease() == "")
}

// lineage knows a repository's tags and the history between them and the released commit.
type lineage struct {
	tags     []tag
	descends func(context.Context, tag) (bool, error) // the released commit from the tag's
	nearest  func(context.Context) (string, error)    // of other commits; empty: there is none
	bound    int                                      // tags that may be asked about; 0: all
}

// sinceRelease compares a tag with the release before it: the highest version below it among
// the tags of its series from which its commit descends. If it descends from none (each
// release has a branch of its own), the highest version below it counts. A tag that is not a
// version is compared with where it was before it was moved, otherwise with the nearest tag
// that it descends from.
func (b *BaseResolver) sinceRelease(ctx context.Context, name, head string) (*Comparison, error) {
	own := readRelease(tag{name: name})
	if own.version == nil && b.Run.Event.Base != "" {
		c, err := b.with(ctx, b.Run.Event.Base, "where the tag "+name+" was before")
		if err == nil {
			return c, nil
		}
		b.fail(err)
	}
	lines, err := b.lineage(ctx, head)
	if err != nil {
		return nil, fmt.Errorf("the release before %s is unknown: %w", name, err)
	}
	if own.version == nil {
		return b.sinceNearest(ctx, name, lines)
	}
	var earlier []release
	for _, t := range lines.tags {
		// The same commit has the same code: v1 often names the last release of its kind.
		if r := readRelease(t); r.before(&own) && t.commit != head {
			earlier = append(earlier, r)
		}
	}
	slices.SortFunc(earlier, func(a, b release) int {
		return cmp.Or(b.version.Compare(a.version), cmp.Compare(b.name, a.name))
	})
	for i, r := range earlier {
		if lines.bound > 0 && i == lines.bound {
			return nil, fmt.Errorf("the release before %s is unknown: its commit descends from none of the %d highest versions below it", name, i)
		}
		descends, err := lines.descends(ctx, r.tag)
		if err != nil {
			return nil, fmt.Errorf("the release before %s is unknown: %w", name, err)
		}
		if descends {
			return b.with(ctx, "refs/tags/"+r.name, fmt.Sprintf("%s, the highest version below %s on its branch", r.name, name))
		}
	}
	if len(earlier) > 0 {
		return b.with(ctx, "refs/tags/"+earlier[0].name, fmt.Sprintf("%s, the highest version below %s, which descends from none", earlier[0].name, name))
	}
	of := ""
	if own.series != "" {
		of = fmt.Sprintf(" of the series %q", own.series)
	}
	return &Comparison{How: fmt.Sprintf("the whole project, since there is no release%s before %s", of, name)}, nil
}

// sinceNearest compares a tag with the nearest one from which its commit descends.
func (b *BaseResolver) sinceNearest(ctx context.Context, name string, lines *lineage) (*Comparison, error) {
	nearest, err := lines.nearest(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tag before %s is unknown: it is not a version, and %w", name, err)
	}
	if nearest == "" {
		return &Comparison{How: "the whole project, since there is no tag before " + name}, nil
	}
	return b.with(ctx, "refs/tags/"+nearest, fmt.Sprintf("%s, the nearest tag before %s, which is not a version", nearest, name))
}

// lineage takes tags and history from the checkout if it has all of both, and otherwise asks
// GitHub. A checkout without tags proves nothing: they may not have been fetched.
func (b *BaseResolver) lineage(ctx context.Context, head string) (*lineage, error) {
	if tags, err := b.tree.tags(ctx); err == nil && len(tags) > 0 {
		return &lineage{tags: tags,
			descends: func(ctx context.Context, t tag) (bool, error) { return b.tree.descends(ctx, t.commit, head) },
			nearest:  func(ctx context.Context) (string, error) { return b.tree.nearestTag(ctx, head) }}, nil
	} else if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if b.Client == nil {
		return nil, errors.New("the checkout lacks the history or the tags, and asking GitHub needs a token")
	}
	tags, err := b.Client.tags(ctx)
	if err != nil {
		return nil, err
	}
	return &lineage{tags: tags, bound: maxAsked,
		descends: func(ctx context.Context, t tag) (bool, error) {
			_, descends, err := b.Client.ahead(ctx, t.commit, head)
			return descends, err
		},
		nearest: func(ctx context.Context) (string, error) { return b.Client.nearestTag(ctx, tags, head) }}, nil
}

// tags lists the repository's tags.
func (c *Client) tags(ctx context.Context) ([]tag, error) {
	var tags []tag
	options := &gh.ListOptions{PerPage: 100} // GitHub's maximum
	for {
		page, resp, err := c.api.Repositories.ListTags(ctx, c.owner, c.repo, options)
		if err != nil {
			return nil, fmt.Errorf("GitHub does not list the tags: %w", refused(err, "contents: read"))
		}
		for _, t := range page {
			if id := t.GetCommit().GetSHA(); commitID.MatchString(id) {
				tags = append(tags, tag{t.GetName(), id})
			}
		}
		if resp.NextPage == 0 || len(page) == 0 {
			return tags, nil
		}
		if len(tags) >= maxTags {
			return nil, fmt.Errorf("the repository has more than %d tags", maxTags)
		}
		options.Page = resp.NextPage
	}
}

// ahead asks GitHub by how many commits a head is ahead of a commit, and whether it descends
// from it.
func (c *Client) ahead(ctx context.Context, commit, head string) (commits int, descends bool, err error) {
	answer, resp, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, commit, head, &gh.ListOptions{PerPage: 1})
	if resp != nil && resp.StatusCode == http.StatusNotFound {
		return 0, false, nil // no common history
	}
	if err != nil {
		return 0, false, fmt.Errorf("GitHub does not compare it with an earlier tag: %w", refused(err, "contents: read"))
	}
	status := answer.GetStatus()
	return answer.GetAheadBy(), status == "ahead" || status == "identical", nil
}

// nearestTag asks GitHub for the tag with the fewest commits between it and a head that
// descends from it.
func (c *Client) nearestTag(ctx context.Context, tags []tag, head string) (string, error) {
	tags = slices.DeleteFunc(slices.Clone(tags), func(t tag) bool { return t.commit == head })
	if len(tags) > maxAsked {
		return "", fmt.Errorf("finding the nearest of %d tags needs the history", len(tags))
	}
	nearest, fewest := "", 0
	for _, t := range tags {
		commits, descends, err := c.ahead(ctx, t.commit, head)
		if err != nil {
			return "", err
		}
		if descends && (nearest == "" || commits < fewest) {
			nearest, fewest = t.name, commits
		}
	}
	return nearest, nil
}
