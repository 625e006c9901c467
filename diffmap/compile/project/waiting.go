package project

import (
	"fmt"
	"regexp"
	"sync/atomic"
	"time"
)

// waitingEvery is how often people are told that something still runs. Arbitrary.
const waitingEvery = time.Second // which is what is counted

// compiling is how forge says what its compiler is at.
var compiling = regexp.MustCompile(`Compiling (\d+) files? with (\S+) ([0-9.]+)`)

// during says what begins, and from then on how long it has been running, until done is called.
// What a tool writes meanwhile goes to heard, which may know more.
func (f *finder) during(what string) (heard func(text []byte), done func()) {
	if f.Progress != nil {
		f.Progress(what)
	}
	if f.Waiting == nil {
		return nil, func() {}
	}
	var now atomic.Value
	now.Store(what)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(waitingEvery)
		defer ticks.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-end:
				return
			case <-ticks.C:
				f.Waiting(fmt.Sprintf("%s, %d s", now.Load(), seconds))
			}
		}
	}()
	heard = func(text []byte) {
		if m := compiling.FindSubmatch(text); m != nil {
			now.Store(fmt.Sprintf("forge: compiling %s files with %s %s", m[1], m[2], m[3]))
		}
	}
	return heard, func() {
		close(end)
		<-ended
	}
}
