package timetotarget

import (
	"context"
	"errors"
	"sync"
)

// Parallel does n pieces of work, so many at a time, in the order of their numbers.
// The first error ends it once what was begun is done.
func Parallel(ctx context.Context, n, atATime int, work func(i int) error) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= n || failed != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range atATime {
		group.Go(func() {
			for i, more := take(); more; i, more = take() {
				if err := work(i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}
