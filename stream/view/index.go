package view

import "hash/maphash"

// index finds slots by the hashes of their ids. It is a hash table with open addressing and linear
// probing, at most half full (Knuth, TAOCP 3, 6.4, algorithms L and R). There are three lookups per
// event, in a table much larger than the caches. Therefore an entry takes only eight bytes, and a
// lookup mostly reads one entry.
type index struct {
	seed    maphash.Seed
	entries []entry // a power of two of them
	n       int
	// fetched is written by fetch only.
	fetched uint32
}

// entry holds half of a hash, and the slot plus one; zero marks a free entry.
type entry struct{ tag, slot uint32 }

func newIndex() *index { return &index{seed: maphash.MakeSeed(), entries: make([]entry, 64)} }

func (x *index) hash(id string) uint64 { return maphash.String(x.seed, id) }

// find returns the slot with this hash for which the function is returns true.
func (x *index) find(hash uint64, is func(slot uint32) bool) (slot uint32, there bool) {
	mask := len(x.entries) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		e := x.entries[i]
		if e.slot == 0 {
			return 0, false
		}
		if e.tag == uint32(hash>>32) && is(e.slot-1) {
			return e.slot - 1, true
		}
	}
}

// fetch reads the entries for hashes, without a result. The processor waits for several of them at
// once, so that lookups that follow take less time together.
func (x *index) fetch(hashes []uint64) {
	mask, sum := uint64(len(x.entries)-1), uint32(0)
	for _, h := range hashes {
		sum += x.entries[h&mask].tag
	}
	x.fetched = sum
}

// add adds a slot that is not in the index. The function of returns a slot's hash, for when the
// table grows.
func (x *index) add(hash uint64, slot uint32, of func(slot uint32) uint64) {
	if x.n++; 2*x.n > len(x.entries) {
		old := x.entries
		x.entries = make([]entry, 2*len(old))
		for _, e := range old {
			if e.slot != 0 {
				x.insert(of(e.slot-1), e.slot-1)
			}
		}
	}
	x.insert(hash, slot)
}

func (x *index) insert(hash uint64, slot uint32) {
	mask := len(x.entries) - 1
	i := int(hash) & mask
	for x.entries[i].slot != 0 {
		i = (i + 1) & mask
	}
	x.entries[i] = entry{uint32(hash >> 32), slot + 1}
}

// remove removes a slot and moves displaced entries behind it up. If the slot is not in the index
// it does nothing.
func (x *index) remove(hash uint64, slot uint32, of func(slot uint32) uint64) {
	mask := len(x.entries) - 1
	i := int(hash) & mask
	for ; x.entries[i].slot != slot+1; i = (i + 1) & mask {
		if x.entries[i].slot == 0 {
			return
		}
	}
	x.n--
	for j := i; ; {
		x.entries[i] = entry{}
		for {
			j = (j + 1) & mask
			if x.entries[j].slot == 0 {
				return
			}
			// An entry may move into the hole unless its home position lies between the hole and
			// the entry.
			home := int(of(x.entries[j].slot-1)) & mask
			if (j-home)&mask >= (j-i)&mask {
				break
			}
		}
		x.entries[i], i = x.entries[j], j
	}
}
