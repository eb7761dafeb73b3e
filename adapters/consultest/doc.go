// Package consultest tests package consulstore with a server of Consul. It is a module of its own because of that server,
// whose license differs from the license of this project: only these tests contain it.
package consultest
