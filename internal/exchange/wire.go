package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// StreamName is the stream that has the seeds of all campaigns, each input at the subject sl.CAMPAIGN.seed.HASH.
const StreamName = "SEEDS"

// Bounds of the stream and of its messages.
const (
	// MaxSeed bounds the text of an input, bytes: 64 calls have about 4,000, and those with arrays ten times as many. Arbitrary.
	MaxSeed = 64 << 10
	// MaxMessage bounds a message with its headers.
	MaxMessage = MaxSeed + 4<<10
	// maxSeeds are what 64 workers send within three minutes at their most; arbitrary.
	maxSeeds = 200_000
	// DefaultMaxBytes is 2.5 KiB for each of them; arbitrary.
	DefaultMaxBytes = 512 << 20
	// duplicateWindow is how long the server knows an input by its hash alone; later, the subject does.
	duplicateWindow = 2 * time.Minute
	// maxConsumers bounds the readers of a hub; a worker that is gone has one for readerPatience.
	maxConsumers   = 2048
	readerPatience = 30 * time.Second
)

// Stream is the configuration of the stream, with at most so many bytes.
func Stream(maxBytes int64) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: StreamName, Subjects: []string{"sl.*.seed.*"}, Storage: jetstream.FileStorage, Discard: jetstream.DiscardOld,
		MaxMsgsPerSubject: 1, MaxMsgSize: MaxMessage, MaxMsgs: maxSeeds, MaxBytes: maxBytes, MaxConsumers: maxConsumers, Duplicates: duplicateWindow,
	}
}

// Publishes and Subscribes are the subjects that a worker needs: seeds, and reading the stream.
var (
	Publishes = []string{
		"sl.*.seed.*", "$JS.API.INFO", "$JS.API.STREAM.INFO." + StreamName, "$JS.API.CONSUMER.CREATE." + StreamName + ".>",
		"$JS.API.CONSUMER.INFO." + StreamName + ".*", "$JS.API.CONSUMER.MSG.NEXT." + StreamName + ".*",
	}
	Subscribes = []string{"_INBOX.>"}
)

// Headers of a message. They are for order and for people: what an input is worth, running it tells.
const (
	headerWhy        = "Sl-Why"        // a reason of fuzzer.OfferReason
	headerPath       = "Sl-Path"       // its path, hexadecimal
	headerTarget     = "Sl-Target"     // index of the target that it reaches
	headerFrom       = "Sl-From"       // the worker that sent it
	headerExecutions = "Sl-Executions" // of that worker, then
)

// hash names an input.
type hash [sha256.Size]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// seed is an input as it travels.
type seed struct {
	hash hash
	text string // as input.Format writes it
	why  fuzzer.OfferReason
	path bytecode.PathID

	// Of one that is to be sent.
	target     int // that it reaches; −1: none
	executions uint64
}

// newSeed is an offer as it travels; false: it is too large.
func newSeed(space *input.Space, o *fuzzer.Offer) (*seed, bool) {
	text := input.Format(space, o.Sequence)
	if len(text) > MaxSeed {
		return nil, false
	}
	return &seed{hash: sha256.Sum256([]byte(text)), text: text, why: o.Why, path: o.Path, target: o.Target, executions: o.Executions}, true
}

// isOfPath reports whether the input was offered for its path: another one of that path is worth nothing. One that does not say
// which is worth what running it tells.
func (s *seed) isOfPath() bool {
	return (s.why == fuzzer.OfferState || s.why == fuzzer.OfferPath) && s.path != bytecode.PathID{}
}

// subject is where the seeds of a campaign are: all of them with "*" for the hash.
func subject(campaign, hash string) string { return "sl." + campaign + ".seed." + hash }

// message is the seed as a message.
func (s *seed) message(campaign, from string) *nats.Msg {
	m := nats.NewMsg(subject(campaign, s.hash.String()))
	m.Data = []byte(s.text)
	m.Header.Set(jetstream.MsgIDHeader, s.hash.String())
	m.Header.Set(headerWhy, s.why.String())
	m.Header.Set(headerPath, hex.EncodeToString(s.path[:]))
	m.Header.Set(headerFrom, from)
	m.Header.Set(headerExecutions, strconv.FormatUint(s.executions, 10))
	if s.target >= 0 {
		m.Header.Set(headerTarget, strconv.Itoa(s.target))
	}
	return m
}

// errForeign is a message of another campaign.
var errForeign = errors.New("it is of another campaign")

// hashOf reads the hash in the subject of a campaign's message.
func hashOf(campaign, of string) (h hash, err error) {
	text, ours := strings.CutPrefix(of, subject(campaign, ""))
	if !ours {
		return h, errForeign
	}
	if len(text) != hex.EncodedLen(len(h)) {
		return h, errors.New("its subject has no hash")
	}
	if _, err := hex.Decode(h[:], []byte(text)); err != nil {
		return h, errors.New("its subject has no hash")
	}
	return h, nil
}

// readSeed reads a message of anyone's, but its text. What it may be wrong about is where it stands in a queue, and
// whether another input of the path that it names is still wanted; who has the token could fill the queues as well.
func readSeed(campaign, at string, header nats.Header, data []byte) (*seed, error) {
	h, err := hashOf(campaign, at)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSeed {
		return nil, fmt.Errorf("it has %d bytes, the limit is %d", len(data), MaxSeed)
	}
	if sha256.Sum256(data) != h {
		return nil, errors.New("its hash is another one")
	}
	s := &seed{hash: h, text: string(data), why: fuzzer.OfferNear, target: -1} // an unknown reason is the least
	for why := range fuzzer.OfferNear {
		if header.Get(headerWhy) == why.String() {
			s.why = why
		}
	}
	if path, err := hex.DecodeString(header.Get(headerPath)); err == nil && len(path) == len(s.path) {
		copy(s.path[:], path)
	}
	return s, nil
}

// parseSequence reads a sequence that fits a Space as it is.
func parseSequence(space *input.Space, text string) (input.Sequence, error) {
	seq, err := input.Parse(space, text)
	if err != nil {
		return nil, err
	}
	if len(seq) == 0 {
		return nil, errors.New("it has no calls")
	}
	return seq, nil
}
