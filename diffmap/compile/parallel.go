package compile

import (
	"runtime"
	"sync"
)

// each calls do with the numbers below n, as many at once as there are cores, and returns the error of the lowest number, as a loop
// would that ends with the first error.
func each(n int, do func(int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var working sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		working.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	working.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
