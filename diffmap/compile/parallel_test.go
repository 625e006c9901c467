package compile

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	var calls atomic.Int32
	err := each(100, func(i int) error {
		calls.Add(1)
		if i == 7 || i == 93 {
			return fmt.Errorf("number %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "number 7" {
		t.Errorf("error %v, want that of the lowest number", err)
	}
	if n := calls.Load(); n != 100 {
		t.Errorf("%d calls, want one each", n)
	}
	if err := each(0, func(int) error { return errors.New("called") }); err != nil {
		t.Errorf("error %v of none", err)
	}
}
