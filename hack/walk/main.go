// Command walk carries out workflows that we publish as GitHub's runner does, for small
// projects with a pull request that breaks something and one that does not: it checks out,
// runs the steps of the YAML, and starts the action's image with the environment that it has
// on GitHub, against a GitHub of our own. It prints how long each took until the first call,
// the first finding and the comment. It ends with 1 unless verdicts and comments are those
// that docs/action.md promises. hack/walk.sh builds the image and starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// settings are where everything is on this machine.
type settings struct {
	work     string   // a folder of our own
	node     string   // node_modules with Node.js and npm, of the version that the image has
	modules  string   // node_modules that ./test installs: forge and a compiler
	image    string   // name of the action's image
	buildah  []string // the command that starts buildah
	registry string   // of npm
	timeout  int      // of campaigns, in seconds, in place of the workflows'; 0: as they say
}

func main() {
	var s settings
	flag.StringVar(&s.work, "work", "", "folder to work in; what is there is removed")
	flag.StringVar(&s.node, "node", "", "node_modules with the packages of Node.js and npm")
	flag.StringVar(&s.modules, "modules", filepath.Join(".cache", "npm", "node_modules"), "node_modules that ./test installs")
	flag.StringVar(&s.image, "image", "", "the action's image")
	flag.IntVar(&s.timeout, "timeout", 0, "seconds of each campaign, whatever the workflow says; 0: as it says")
	names := flag.String("projects", "", "the projects to walk, separated by spaces; default: all")
	flag.Parse()
	s.buildah = flag.Args()
	if s.work == "" || s.node == "" || s.image == "" || len(s.buildah) == 0 {
		fmt.Fprintln(os.Stderr, "usage: walk -work FOLDER -node FOLDER -image NAME [-projects 'NAME...'] BUILDAH...; hack/walk.sh has them all")
		os.Exit(2)
	}
	if err := walk(&s, strings.Fields(*names)); err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}

// walk walks all projects that are named, and prints the times.
func walk(s *settings, names []string) error {
	if err := s.prepare(); err != nil {
		return err
	}
	var table []string
	var comments []float64 // seconds from the event to each
	var failed []error
	for _, p := range projects {
		if len(names) > 0 && !contains(names, p.name) {
			continue
		}
		var before *job
		for _, pull := range p.pulls {
			if !pull.again {
				before = nil
			}
			fmt.Printf("\n== %s: %s, a pull request that %s\n", p.name, p.workflow, pull.what)
			j, err := s.carryOut(p, pull, before)
			before = j
			if err != nil {
				failed = append(failed, fmt.Errorf("%s, a pull request that %s: %w", p.name, pull.what, err))
				fmt.Println("FAILED:", err)
			}
			if j != nil && !j.commented.IsZero() {
				comments = append(comments, j.commented.Sub(j.start).Seconds())
			}
			if j != nil {
				table = append(table, fmt.Sprintf("%-8s %-17s %10s %10s %10s %10s  %s", p.name, pull.what,
					since(j.start, j.began), since(j.start, j.firstCall), since(j.start, j.firstFinding), since(j.start, j.commented), j.outputs["reason"]))
			}
		}
	}
	fmt.Printf("\nseconds from the event to    the action first call    finding    comment  result\n%s\n", strings.Join(table, "\n"))
	if n := len(comments); n > 0 {
		slices.Sort(comments)
		fmt.Printf("from the event to the comment: p50 %.1f s, p95 %.1f s, of %d\n", comments[(n-1)/2], comments[(95*n+99)/100-1], n)
	}
	return errors.Join(failed...)
}

// since is the time between two moments; a dash if there was no second.
func since(from, to time.Time) string {
	if to.IsZero() {
		return "-"
	}
	return fmt.Sprintf("%.1f", to.Sub(from).Seconds())
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
