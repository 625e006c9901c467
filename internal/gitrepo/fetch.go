package gitrepo

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fetch gets one commit, without its history, from a server, and returns its id. A header
// (such as a credential) goes with requests to the server, in the environment of this call
// alone. git runs as we do, in a repository that has nothing of the checkout: a process that
// holds a credential reads nothing that a pull request wrote.
func (r *Repository) Fetch(ctx context.Context, server, repository, rev, header string) (string, error) {
	parsed, err := url.Parse(server)
	if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return "", fmt.Errorf("the server's address %q is not an https or http URL", server)
	}
	if rev == "" || strings.ContainsRune("-+^", rune(rev[0])) || strings.ContainsAny(rev, ":*?[ \n") {
		return "", fmt.Errorf("%q is not a valid revision", rev)
	}
	dir := r.fetches()
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	if err := r.write("fetched/config", config); err != nil {
		return "", err
	}
	if err := r.write("fetched/HEAD", "ref: refs/heads/none\n"); err != nil {
		return "", err
	}
	for _, folder := range []string{"fetched/objects", "fetched/refs"} {
		if err := r.mkdir(folder); err != nil {
			return "", err
		}
	}
	// The machine's configuration (not the user's) may name a proxy or certificates.
	env := append(inherited(proxyVariables), "GIT_ALLOW_PROTOCOL="+parsed.Scheme,
		"GIT_CONFIG_GLOBAL="+filepath.Join(dir, "none"), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_ATTR_NOSYSTEM=1")
	if header != "" {
		key := "http." + server + "/.extraheader"
		env = append(env, "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0="+key, "GIT_CONFIG_VALUE_0=",
			"GIT_CONFIG_KEY_1="+key, "GIT_CONFIG_VALUE_1="+header)
	}
	_, err = r.run(ctx, maxSmall, func(ctx context.Context) *exec.Cmd {
		return r.command(ctx, dir, env, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
			server+"/"+repository, "+"+rev+":"+fetchedRef)
	})
	if err != nil {
		return "", err
	}
	id, err := r.run(ctx, maxSmall, func(ctx context.Context) *exec.Cmd {
		return r.command(ctx, dir, append(r.noUserConfig(), noProtocol), "rev-parse", "--verify", "--quiet", fetchedRef+"^{commit}")
	})
	if err != nil {
		return "", err
	}
	r.stopBatch() // the next one knows the fetched objects
	objects := filepath.ToSlash(filepath.Join(dir, "objects")) + "\n" + filepath.ToSlash(filepath.Join(r.common, "objects")) + "\n"
	return strings.TrimSpace(string(id)), r.write("view/objects/info/alternates", objects)
}

// fetchedRef is the ref of the commit that was fetched last.
const fetchedRef = "refs/sightline/fetched"
