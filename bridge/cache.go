package bridge

import (
	"hash/maphash"
	"slices"

	"github.com/guestjs/guestjs/quickjs"
)

// A codeCache keeps the code of programs that came more than once, so that they
// need not be understood and compiled again. The code was written by the
// engine before anything of its program ran, and is kept where no guest can
// touch it. A sandbox owns its cache; whoever holds its run lock may use it.
type codeCache struct {
	kept  map[codeKey]*compiled
	order []codeKey // oldest first
	size  int       // bytes of sources, codes and waypoints
	seen  [seenCodes]uint64
	next  int
	seed  maphash.Seed
}

// codeKey is all that code depends on beside the engine. The stack is part of it:
// under a smaller one the parser may not get to the end of a source, and so read
// it in another way or not at all.
type codeKey struct {
	source     string
	file, mark string // together what the engine calls it
	stack      int64
}

type compiled struct {
	source *source
	code   []byte
	stack  int64             // in force when it was made: a prelude with large frames lowers it
	loaded *quickjs.Waypoint // where the code has just been read; nil before a first time
	value  quickjs.Value     // the code in the guest, at loaded or in the run under way
	long   bool              // loaded would take too much memory
}

// Bounds of what one sandbox keeps. A source that is larger is compiled in less
// time than it takes to run it.
const (
	maxCodes     = 64
	maxCodesSize = 256 << 10
	maxCodeText  = 32 << 10
	seenCodes    = 64
)

func (c *codeCache) find(k codeKey) *compiled { return c.kept[k] }

// wants reports whether the program came before and is worth keeping.
func (c *codeCache) wants(k codeKey) bool {
	if len(k.source) > maxCodeText {
		return false
	}
	if c.seed == (maphash.Seed{}) {
		c.seed = maphash.MakeSeed()
	}
	h := maphash.Comparable(c.seed, k)
	for _, s := range c.seen {
		if s == h {
			return true
		}
	}
	c.seen[c.next] = h
	c.next = (c.next + 1) % seenCodes
	return false
}

func (c *codeCache) keep(k codeKey, code *compiled) {
	n := k.weight(code)
	if n > maxCodesSize/4 {
		return
	}
	for len(c.order) > 0 && (len(c.order) >= maxCodes || c.size+n > maxCodesSize) {
		c.forgetOldest()
	}
	if c.kept == nil {
		c.kept = map[codeKey]*compiled{}
	}
	c.kept[k] = code
	c.order = append(c.order, k)
	c.size += n
}

func (c *codeCache) forgetOldest() {
	old := c.order[0]
	c.size -= old.weight(c.kept[old])
	delete(c.kept, old)
	c.order = c.order[1:]
}

// placed remembers where a run of kept code begins, unless that takes too much. The
// code counts as kept just now.
func (c *codeCache) placed(k codeKey, code *compiled, loaded *quickjs.Waypoint) {
	n := loaded.Size()
	if k.weight(code)+n > maxCodesSize/4 {
		code.long = true
		return
	}
	i := slices.Index(c.order, k)
	c.order = append(slices.Delete(c.order, i, i+1), k)
	for c.size+n > maxCodesSize {
		c.forgetOldest() // never this one: it alone takes a quarter at most
	}
	code.loaded = loaded
	c.size += n
}

func (k codeKey) weight(code *compiled) int {
	n := len(k.source) + len(k.file) + len(code.code)
	if code.loaded != nil {
		n += code.loaded.Size()
	}
	return n
}
