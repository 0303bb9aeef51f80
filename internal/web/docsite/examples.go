package docsite

import (
	"fmt"
	"strconv"
	"strings"
)

// code is an example of a request in a programming language.
type code struct{ Language, Text string }

// call is the request of an operation's first example.
type call struct {
	method, url, keyHeader, body string // no body: ""
}

// placeholderKey stands for the reader's key.
const placeholderKey = "cw_live_…"

func (d *document) call(o *operation, base string, bodies []sample) call {
	path := o.path
	for _, p := range o.Parameters {
		if p.In == "path" && p.Example != nil {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", fmt.Sprint(p.Example))
		}
	}
	c := call{method: o.method, url: base + path + requiredQuery(o), keyHeader: d.keyHeader()}
	if len(bodies) > 0 {
		c.body = bodies[0].Text
	}
	return c
}

// examples writes the request in every language of the reference.
func (c call) examples() []code {
	return []code{{"curl", c.curl()}, {"JavaScript", c.javascript()}, {"Python", c.python()}, {"PHP", c.php()}, {"Go", c.golang()}}
}

func (c call) curl() string {
	var out strings.Builder
	out.WriteString("curl -s ")
	if c.method != "GET" && (c.method != "POST" || c.body == "") {
		out.WriteString("-X " + c.method + " ")
	}
	fmt.Fprintf(&out, "'%s' -H '%s: %s'", c.url, c.keyHeader, placeholderKey)
	if c.body != "" {
		fmt.Fprintf(&out, " -H 'Content-Type: application/json' -d '%s'", strings.ReplaceAll(c.body, "'", `'\''`))
	}
	return out.String()
}

func (c call) javascript() string {
	var out strings.Builder
	fmt.Fprintf(&out, "const answer = await fetch(%q, {\n  method: %q,\n  headers: { %q: process.env.KEY", c.url, c.method, c.keyHeader)
	if c.body == "" {
		out.WriteString(" },\n});\n")
	} else {
		fmt.Fprintf(&out, ", \"Content-Type\": \"application/json\" },\n  body: JSON.stringify(%s),\n});\n", indented(c.body, "  "))
	}
	return out.String() + "console.log(answer.status, await answer.text());"
}

func (c call) python() string {
	var out strings.Builder
	out.WriteString("import os, urllib.error, urllib.request\n\n")
	if c.body != "" {
		fmt.Fprintf(&out, "body = r\"\"\"%s\"\"\"\n", c.body)
	}
	fmt.Fprintf(&out, "request = urllib.request.Request(%q, method=%q, headers={%q: os.environ[\"KEY\"]", c.url, c.method, c.keyHeader)
	if c.body != "" {
		out.WriteString(", \"Content-Type\": \"application/json\"}, data=body.encode()")
	} else {
		out.WriteString("}")
	}
	return out.String() + `)
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as refused:
    answer = refused
print(answer.status, answer.read().decode())`
}

func (c call) php() string {
	var out strings.Builder
	fmt.Fprintf(&out, "$context = stream_context_create(['http' => [\n    'method' => '%s',\n    'ignore_errors' => true,\n    'header' => ['%s: ' . getenv('KEY')",
		c.method, c.keyHeader)
	if c.body != "" {
		fmt.Fprintf(&out, ", 'Content-Type: application/json'],\n    'content' => <<<'BODY'\n%s\nBODY,\n", c.body)
	} else {
		out.WriteString("],\n")
	}
	fmt.Fprintf(&out, "]]);\necho file_get_contents('%s', false, $context);", c.url)
	return out.String()
}

func (c call) golang() string {
	body := "http.NoBody"
	if c.body != "" {
		body = "strings.NewReader(`" + strings.ReplaceAll(c.body, "`", "` + \"`\" + `") + "`)"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "request, err := http.NewRequest(%s, %s, %s)\nif err != nil {\n\tlog.Fatal(err)\n}\n", strconv.Quote(c.method), strconv.Quote(c.url), body)
	fmt.Fprintf(&out, "request.Header.Set(%q, os.Getenv(\"KEY\"))\n", c.keyHeader)
	if c.body != "" {
		out.WriteString("request.Header.Set(\"Content-Type\", \"application/json\")\n")
	}
	return out.String() + `answer, err := http.DefaultClient.Do(request)
if err != nil {
	log.Fatal(err)
}
defer answer.Body.Close()
text, err := io.ReadAll(answer.Body)
fmt.Println(answer.StatusCode, string(text), err)`
}

// indented moves the lines of a text after the first to the right.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }
