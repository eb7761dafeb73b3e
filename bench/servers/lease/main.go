// Command lease is the emulator of an API server of Kubernetes that package fakeapi contains. It prints its address.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	log.Fatal(http.Serve(l, fakeapi.New()))
}
