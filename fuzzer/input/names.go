package input

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// names finds what the text form calls by name.
type names struct {
	senders   map[string]int
	instances map[string]int
	addresses map[string]common.Address
	of        map[common.Address]string // a sender's name before an instance's
}

func (s *Space) addNames() error {
	n := names{map[string]int{}, map[string]int{}, map[string]common.Address{}, map[common.Address]string{}}
	add := func(name string, a common.Address) error {
		if other, taken := n.addresses[name]; name == "" || taken && other != a {
			return fmt.Errorf("the world has two accounts named %q, or one without a name", name)
		}
		n.addresses[name] = a
		if _, named := n.of[a]; !named {
			n.of[a] = name
		}
		return nil
	}
	for i, sender := range s.Senders {
		if _, taken := n.senders[sender.Name]; taken {
			return fmt.Errorf("the world has two senders named %q", sender.Name)
		}
		n.senders[sender.Name] = i
		if err := add(sender.Name, sender.Address); err != nil {
			return err
		}
	}
	for i := range s.Instances {
		in := &s.Instances[i]
		if _, taken := n.instances[in.Name]; taken {
			return fmt.Errorf("the world has two instances named %q", in.Name)
		}
		n.instances[in.Name] = i
		if err := add(in.Name, in.Address); err != nil {
			return err
		}
	}
	s.names = n
	return nil
}

// function finds a function of an instance by its signature; nil when there is
// none.
func (in *Instance) function(signature string) *Function {
	for _, list := range [][]*Function{in.Functions, in.Properties} {
		for _, f := range list {
			if f.Signature == signature {
				return f
			}
		}
	}
	if in.Noted != nil && in.Noted.Signature == signature {
		return in.Noted
	}
	return nil
}
