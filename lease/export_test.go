package lease

// HashOf returns what a voter adds to the hash of its configuration. OldVoter and NewVoter are the flags of the sets.
var HashOf = hashOf

// The flags of the sets.
const (
	OldVoter = flagOld
	NewVoter = flagNew
)

// WishBit is set in the labels of wishes.
const WishBit = wishBit

// Pack and Unpack are the code of a duration in a MEMORY.
var Pack, Unpack = pack, unpack
