package layout_test

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

func TestMain(m *testing.M) { testsolc.Main(m, testfiles.Main) }
