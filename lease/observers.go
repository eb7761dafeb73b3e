package lease

import "github.com/go-election/election"

// Leads returns the message that a leader sends to a process that is not a voter whenever its lease begins or
// is renewed: the process follows it for GrantTime. The process runs a Node whose ports lead to the voters. It
// is never started, receives no Rejoin, and its messages must be discarded.
func Leads(term uint64) election.Message { return election.Message{Kind: kindLeads, Term: term} }

// Left returns the message that a leader sends to such a process when its lease has ended.
func Left(term uint64) election.Message { return election.Message{Kind: kindRelease, Term: term} }
