package certcmd

const long = `Makes certificates by which the members of elect lead authenticate. elect cert ca
writes ca.pem, the certificate authority, and ca.key.pem, its key. elect cert
member writes NAME.pem and NAME.key.pem for each member, with the identity
spiffe://GROUP/NAME. GROUP is the --group of this command and of elect lead, by
default lead. It prints the files, the group, and when they expire.

Each member needs ca.pem, its own certificate and its own key. Do not give
ca.key.pem to members: anyone who has it can impersonate any of them. Members load
new files while they run, so run elect cert member again before a certificate
expires.

Members verify the identity, not the address. --host adds a DNS name or an IP
address for clients that verify host names, such as browsers.

Use these certificates for trials, and for services without a certificate
authority of their own.`

const examples = `  elect cert ca
  elect cert member --group lead a b c
  elect cert member --group lead --host a.example.org --host 10.0.0.1 a
  elect cert show ca.pem a.pem
  elect lead --self a --member a=127.0.0.1:7946 --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem \
    --once -- env`

const longShow = `Shows the certificates in PEM files: the name, the issuer, the identity, the DNS
names and IP addresses, the time of validity, and the use. For the certificate of a
member this is the group and the name that elect lead needs, or what is missing.

It does not verify signatures; a member does when it starts.`
