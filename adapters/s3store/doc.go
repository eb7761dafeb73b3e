// Package s3store keeps a record in an object of S3, or of a service that is compatible with it.
//
//	s, err := s3store.New(s3store.Config{Bucket: "https://my-bucket.s3.eu-central-1.amazonaws.com/leases",
//		Region: "eu-central-1"})
//	...
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: s})
//
// A write is a PUT with If-None-Match or If-Match, so the service must support conditional writes, and the credentials
// need s3:GetObject, s3:PutObject and s3:ListBucket: without the last one, S3 reports a missing object as forbidden.
// Not all compatible servers compare: versitygw 1.8.0 accepts two writes that name the same ETag. Run package
// storetest against a server before you trust it.
//
// The object of the group "orders" is election/orders below the URL of the bucket. Members poll, because S3 reports no
// changes that a client could wait for. A request of a follower in each Times.Renew costs money: with a Lease of 15 s,
// three members make about 70,000 requests a day.
//
// # Why no SDK
//
// Three requests are enough, and an SDK links 18 modules. More important, the SDK of AWS repeats a PUT whose answer was
// lost. If the first one was carried out, the second one is refused, and the caller takes a write that has happened for
// one that has not. Credentials of an SDK can be used, see [Config].
//
// # Limitations
//
// The clock of this machine must be right within 15 minutes, as for any client of S3: the signature contains the time.
//
// # Tested with
//
// An emulator, gofakes3, whenever something changes; and MinIO of February 2026 by hand. To test another server, let the
// tests start it, kill it, and start it again:
//
//	export AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
//	go test -run 'TestConformance|TestElector' -args -server 'minio server --address ADDRESS DIR'
package s3store
