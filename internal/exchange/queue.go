package exchange

import "github.com/sightline-evm/sightline/fuzzer"

// reasons are those of offers, from 0.
const reasons = int(fuzzer.OfferNear) + 1

// queue is seeds that wait, at most so many of so much text. Those with the best reason come first, and of these the newest: a later
// input mostly has what an earlier one led to. Where there is no room, the oldest with the worst reason goes.
type queue struct {
	most, bytes int
	of          [reasons][]*seed // in order of arrival
	n, size     int
}

// put adds a seed, and reports how many had to go.
func (q *queue) put(s *seed) (dropped int) {
	q.of[s.why] = append(q.of[s.why], s)
	q.n++
	q.size += len(s.text)
	for why := reasons - 1; q.n > q.most || q.size > q.bytes; {
		if len(q.of[why]) == 0 {
			why--
			continue
		}
		q.size -= len(q.of[why][0].text)
		q.of[why][0] = nil
		q.of[why] = q.of[why][1:]
		q.n--
		dropped++
	}
	return dropped
}

// take removes the seed that comes first; nil: there is none.
func (q *queue) take() *seed {
	for why := range q.of {
		if list := q.of[why]; len(list) > 0 {
			s := list[len(list)-1]
			list[len(list)-1] = nil
			q.of[why] = list[:len(list)-1]
			q.n--
			q.size -= len(s.text)
			return s
		}
	}
	return nil
}

// known is keys that were met, the latest at least: two generations, of which the older goes when the newer is full.
type known[K comparable] struct {
	most       int // of a generation
	new, older map[K]struct{}
}

// meet notes a key, and reports whether it is new.
func (k *known[K]) meet(key K) bool {
	if k.has(key) {
		return false
	}
	if k.new == nil || len(k.new) >= k.most {
		k.older, k.new = k.new, map[K]struct{}{}
	}
	k.new[key] = struct{}{}
	return true
}

func (k *known[K]) has(key K) bool {
	if _, is := k.new[key]; is {
		return true
	}
	_, is := k.older[key]
	return is
}
