package webhooks

// HostileForms must be refused whatever a resolver says of the names in them: they name loopback or inner
// addresses, or are read differently by different readers. PORT stands for the canary's port.
var HostileForms = []string{
	// loopback and inner IPv4 addresses
	"https://127.0.0.1:PORT/", "https://127.0.0.1.:PORT/", "https://127.1.2.3:PORT/", "https://127.255.255.255:PORT/",
	"https://0.0.0.0:PORT/", "https://0.1.2.3:PORT/", "https://10.0.0.1:PORT/", "https://10.255.255.255:PORT/",
	"https://172.16.0.1:PORT/", "https://172.31.255.255:PORT/", "https://192.168.0.1:PORT/", "https://192.168.255.255:PORT/",
	"https://169.254.169.254/latest/meta-data/", "https://169.254.170.2/v2/credentials", "https://168.63.129.16/machine",
	"https://100.64.0.1/", "https://100.100.100.200/latest/meta-data/", "https://100.127.255.255/",
	"https://192.0.0.192/opc/v2/", "https://192.0.2.1/", "https://198.51.100.7/", "https://203.0.113.9/",
	"https://198.18.0.1/", "https://198.19.255.255/", "https://192.88.99.1/", "https://224.0.0.1/", "https://239.255.255.250/",
	"https://240.0.0.1/", "https://255.255.255.255:PORT/",
	// other spellings of IPv4
	"https://2130706433:PORT/", "https://017700000001:PORT/", "https://0x7f000001:PORT/", "https://0X7F000001:PORT/",
	"https://127.1:PORT/", "https://127.0.1:PORT/", "https://127.1.:PORT/", "https://0177.0.0.1:PORT/", "https://0177.0.0.01:PORT/",
	"https://0x7f.0.0.1:PORT/", "https://0x7f.1:PORT/", "https://0x7f.0x0.0x0.0x1:PORT/", "https://127.0.0.0x1:PORT/",
	"https://127.0.0.01:PORT/", "https://127.000.000.001:PORT/", "https://00000127.0.0.1:PORT/", "https://127.0.0.1.0:PORT/",
	"https://256.0.0.1:PORT/", "https://127.0.0.257:PORT/", "https://383.0.0.1:PORT/", "https://4294967296:PORT/", "https://0:PORT/",
	"https://0x:PORT/",
	"https://08.8.8.8:PORT/", "https://1.1:PORT/", "https://3232235521/", "https://2852039166/latest/meta-data/", "https://0xa9fea9fe/",
	"https://0251.0376.0251.0376/",
	"https://１２７.0.0.1:PORT/", "https://①②⑦.⓪.⓪.①:PORT/", "https://127。0。0。1:PORT/", "https://127．0．0．1:PORT/", "https://127｡0｡0｡1:PORT/",
	"https://𝟙𝟚𝟟.𝟘.𝟘.𝟙:PORT/",
	"https://１６９.２５４.１６９.２５４/", "https://٢.٣.٤.٥/", "https://𝟙𝟟.𝟘.𝟘.𝟙4/", "https://9３.184.216.34./",
	// IPv6
	"https://[::1]:PORT/", "https://[::]:PORT/", "https://[0:0:0:0:0:0:0:1]:PORT/", "https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/",
	"https://[::ffff:127.0.0.1]:PORT/", "https://[::ffff:7f00:1]:PORT/", "https://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
	"https://[::ffff:10.0.0.1]/", "https://[::ffff:a9fe:a9fe]/",
	"https://[::127.0.0.1]:PORT/", "https://[::7f00:1]:PORT/", "https://[::ffff:0:127.0.0.1]:PORT/", "https://[64:ff9b::127.0.0.1]:PORT/",
	"https://[64:ff9b::7f00:1]/", "https://[64:ff9b::a9fe:a9fe]/",
	"https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "https://[2001:db8::1]/",
	"https://[3fff::1]/",
	"https://[fe80::1]:PORT/", "https://[fe80::1%25lo]:PORT/", "https://[fe80::1%25eth0]/", "https://[::1%25lo]:PORT/",
	"https://[::1%251]:PORT/", "https://[2606:4700::1%25eth0]/",
	"https://[fc00::1]/", "https://[fd00:ec2::254]/latest/meta-data/", "https://[fec0::1]/", "https://[ff02::1]/", "https://[100::1]/",
	"https://[5f00::1]/",
	"https://[::1]:PORT]/", "https://[::1/", "https://::1]/", "https://::1:PORT/", "https://[127.0.0.1]:PORT/", "https://[localhost]:PORT/",
	"https://[]:PORT/", "https://[::1].example.com:PORT/", "https://example.com[::1]:PORT/",
	// names of the machine and its own network
	"https://localhost:PORT/", "https://LOCALHOST:PORT/", "https://localhost.:PORT/", "https://LocalHost.:PORT/",
	"https://a.localhost:PORT/", "https://a.b.LOCALHOST.:PORT/",
	"https://localhost.localdomain:PORT/", "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/", "https://ｌｏｃａｌｈｏｓｔ:PORT/", "https://intranet/", "https://db:PORT/",
	"https://printer.local/",
	"https://metadata.google.internal/", "https://metadata.google.internal./", "https://instance-data.ec2.internal/", "https://nas.home.arpa/",
	// users, backslashes, separators
	"https://example.com@127.0.0.1:PORT/", "https://example.com:443@127.0.0.1:PORT/", "https://a:b@[::1]:PORT/",
	"https://example.com%40127.0.0.1:PORT/",
	"https://example.com@example.com@127.0.0.1:PORT/", "https://127.0.0.1:PORT@localhost:PORT/", "https://@127.0.0.1:PORT/",
	"https://:@localhost:PORT/",
	`https://127.0.0.1:PORT\@example.com/`, `https://example.com\@127.0.0.1:PORT/`, `https:\\127.0.0.1:PORT\`,
	`https://example.com\.127.0.0.1:PORT/`, `https:/\127.0.0.1:PORT/`, `https://example.com/\..\@127.0.0.1`,
	"https://127.0.0.1:PORT#@example.com/", "https://127.0.0.1:PORT?@example.com/", "https://127.0.0.1,example.com:PORT/",
	"https:///127.0.0.1:PORT/", "https:////127.0.0.1:PORT/", "https:/127.0.0.1:PORT/", "https:127.0.0.1:PORT/", "https://", "https:///",
	"https://?x", "https://#x", "//127.0.0.1:PORT/", "127.0.0.1:PORT", "localhost:PORT/x", "/hook", "",
	// control characters, spaces, encodings
	" https://127.0.0.1:PORT/", "https://127.0.0.1:PORT/ ", "https://example.com\r\nHost: 127.0.0.1/", "https://exam\tple.com/",
	"https://exam\nple.com/", "https://example.com/\x00", "https://127.0.0.1\x00.example.com/",
	"https://example.com/\x7f", "https://example.com/a b", "https://127.0.0.%31:PORT/", "https://%31%32%37.0.0.1:PORT/",
	"https://%6cocalhost:PORT/", "https://127%2e0%2e0%2e1:PORT/", "https://example.com%00.localhost/",
	"https://example.com%2f@127.0.0.1:PORT/", "https://example.com%0d%0a/",
	"https://127.0.0.1\u00ad:PORT/", "https://local\u200bhost:PORT/", "https://loc\u00adalhost:PORT/", "https://\xff.example.com/",
	"https://example.com/\xff", "https://exa_mple..com/", "https://.example.com/", "https://example.com../", "https://./",
	"https://*.example.com/", "https://exam ple.com/", "https://{127.0.0.1}:PORT/", "https://$HOST/",
	// ports
	"https://example.com:/", "https://example.com:0/", "https://example.com:65536/", "https://example.com:99999999999/",
	"https://example.com:-1/", "https://example.com:4a3/", "https://example.com:443:443/", "https://127.0.0.1:PORT:443/",
	"https://example.com:%34%34%33/",
	// schemes
	"http://example.com/", "http://127.0.0.1:PORT/", "http://localhost:PORT/", "HTTP://example.com/", "ftp://127.0.0.1:PORT/",
	"gopher://127.0.0.1:PORT/_x", "file:///etc/passwd", "file://127.0.0.1:PORT/", "dict://127.0.0.1:PORT/", "ws://127.0.0.1:PORT/",
	"wss://127.0.0.1:PORT/", "unix:///var/run/docker.sock", "jar:https://127.0.0.1:PORT/!/", "javascript:alert(1)", "data:text/plain,x",
	"url:https://127.0.0.1:PORT/", "https+unix://x/", "h2c://127.0.0.1:PORT/", "httpss://example.com/", "ｈttps://127.0.0.1:PORT/",
}

// ResolvedForms are well formed: only their resolved addresses make them dangerous.
var ResolvedForms = []string{
	"https://127.0.0.1.nip.io:PORT/", "https://localtest.example.com:PORT/", "https://LOCALTEST.example.com.:PORT/", "https://a--b.example.com:PORT/",
	"https://xn--bcher-kva.example:PORT/", "https://bücher.example:PORT/", "https://BÜCHER.example:PORT/",
	"https://example.com#@127.0.0.1:PORT/", "https://example.com?@127.0.0.1:PORT/", "https://example.com:PORT/@127.0.0.1/",
	"https://127.0.0.1:8080;@example.com:PORT/", "https://127.0.0.1&@example.com:PORT#@/", "https://127.0.0.1@example.com:PORT/",
	"https://localhost:x@example.com:PORT/", "https://under_score.example.com:PORT/", "https://0x7f.example.com:PORT/",
	"https://127.0.0.1.example.com:PORT/", "https://example.com:PORT/../../x", "https://example.com:PORT//127.0.0.1",
	"HTTPS://EXAMPLE.COM:PORT/", "https://localhost.example.com:PORT/", "https://dead.beef:PORT/", "https://0xcafe.babe:PORT/",
}
