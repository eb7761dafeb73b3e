package lease

import "github.com/go-election/election"

// Leads returns what a leader sends to a process that is no voter when its lease begins, and at some of the renewals:
// the process follows it for the GrantTime of its own Config, which may be longer than the voters'. That process runs
// a Node whose ports lead to the voters. It is never started, does not come back (Rejoin), and what it sends goes
// nowhere.
func Leads(term uint64) election.Message { return election.Message{Kind: kindLeads, Term: term} }

// Left returns what a leader sends to such a process when its lease has ended.
func Left(term uint64) election.Message { return election.Message{Kind: kindRelease, Term: term} }
