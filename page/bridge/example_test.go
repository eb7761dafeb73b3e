package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-election/election/page/bridge"
)

func Example() {
	var b bridge.Bridge
	reply, err := b.Call(context.Background(), "catalog", nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var all []struct{ Title, Worst string }
	if err := json.Unmarshal(reply.JSON, &all); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all[0].Title, "takes at most", all[0].Worst, "messages")
	// Output:
	// lcr/participant takes at most n(n+1)/2 + n messages
}
