package lease

import "github.com/go-election/election"

// Leads returns what a leader sends to a process that is no voter whenever its lease begins or is
// renewed: the process follows it for GrantTime. That process runs a Node whose ports lead to the
// voters. It is never started, does not come back (Rejoin), and what it sends goes nowhere.
func Leads(term uint64) election.Message { return election.Message{Kind: kindLeads, Term: term} }

// Left returns what a leader sends to such a process when its lease has ended.
func Left(term uint64) election.Message { return election.Message{Kind: kindRelease, Term: term} }
