package transport_test

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

func Example() {
	b := transport.AppendPacket(nil, election.Packet{From: 1, To: 2,
		Msg: election.Message{Kind: 1, Value: 7}})
	fmt.Println(len(b), "bytes")
	p, err := transport.ParsePacket(b)
	fmt.Println(p.From, "sends", p.Msg.Value, "to", p.To, err)
	b[40] ^= 1
	_, err = transport.ParsePacket(b)
	fmt.Println(err)
	// Output:
	// 80 bytes
	// 1 sends 7 to 2 <nil>
	// election: not a packet: the checksum is wrong
}
