package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
)

const judged = `
perfctl: 1
name: judged
services: { s: http://s:1 }
operations:
  plain: { get: "s:/" }
  strict:
    post: s:/x
    expect: [201, 202]
    functional: { 200: DUPLICATE, 404: , 409: [OUT_OF_STOCK, CLOSED] }
load: { rate: 1/s, duration: 1s }
`

func TestJudge(t *testing.T) {
	m := newMix(t, judged, 1)
	const plain, strict = 0, 1
	type verdict struct {
		Outcome   load.Outcome
		Signature string
	}
	for _, c := range []struct {
		name   string
		op     int
		status int
		body   string
		want   verdict
	}{
		{"any 2xx", plain, 204, "", verdict{load.OK, ""}},
		{"a redirect is not followed", plain, 302, "", verdict{load.System, "unexpected 302"}},
		{"an expected status", strict, 202, "", verdict{load.OK, ""}},
		{"a 2xx that is not expected", strict, 200, `{"ok":true}`, verdict{load.System, "unexpected 200"}},
		{"a business error below 400", strict, 200, `{"code":"DUPLICATE"}`, verdict{load.Functional, "200 DUPLICATE"}},
		{"its code", strict, 409, `{"code":"OUT_OF_STOCK"}`, verdict{load.Functional, "409 OUT_OF_STOCK"}},
		{"its second code", strict, 409, `{"error":"CLOSED"}`, verdict{load.Functional, "409 CLOSED"}},
		{"code and error", strict, 409, `{"code":"E42","error":"CLOSED"}`, verdict{load.Functional, "409 CLOSED"}},
		{"another code", strict, 409, `{"code":"LOCKED"}`, verdict{load.System, "unexpected 409 LOCKED"}},
		{"a code that is only in a text", strict, 409, `{"message":"CLOSED"}`, verdict{load.System, "unexpected 409"}},
		{"any code of a status", strict, 404, `{"error":"NOT_FOUND"}`, verdict{load.Functional, "404 NOT_FOUND"}},
		{"no body", strict, 404, "", verdict{load.Functional, "404"}},
		{"not JSON", strict, 500, "<html>", verdict{load.System, "unexpected 500"}},
		{"a sentence is no code", plain, 500, `{"error":"` + strings.Repeat("x", 65) + `"}`, verdict{load.System, "unexpected 500"}},
		{"a code that is no text", plain, 500, `{"code":7,"error":{}}`, verdict{load.System, "unexpected 500"}},
	} {
		outcome, signature := m.Judge(c.op, &client.Response{Status: c.status, Body: []byte(c.body)})
		if diff := cmp.Diff(c.want, verdict{outcome, signature}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestFollow shows what a poll is made of: 64-bit ids to the last digit, escapes, and
// values of its own stream.
func TestFollow(t *testing.T) {
	m := newMix(t, shop, 7)
	follow := func(body string) (*load.Completion, error) {
		return m.Follow(load.Exchange{Index: 12, Operation: 0}, &client.Response{Status: 201, Body: []byte(body)})
	}
	nonce := (&values{rand: stream(7, purposePoll, 12)}).uuid()
	for body, id := range map[string]string{
		`{"orderId":9007199254740993}`:     "9007199254740993",
		`{"orderId":18446744073709551615}`: "18446744073709551615",
		`{"orderId":"a/b c"}`:              "a%2Fb%20c",
		`{"orderId":true}`:                 "true",
	} {
		c, err := follow(body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		c.Judge = nil
		want := &load.Completion{First: 5 * time.Millisecond, Growth: 1.1, Every: 50 * time.Millisecond, Timeout: 10 * time.Second,
			Poll: &client.Request{Method: "GET", URL: "http://order:1/orders/" + id + "?nonce=" + nonce, Timeout: 3 * time.Second,
				Header: []client.Header{{Name: "X-Run", Value: RunID(7)}, {Name: "X-Kind", Value: "service"}}}}
		if diff := cmp.Diff(want, c); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	for body, want := range map[string]string{
		``:                    "operation create: reply 201: the body is not JSON: EOF",
		`{} {}`:               "operation create: reply 201: the body holds more than one JSON value",
		`{"id":1}`:            "operation create: save orderId: $.orderId matched 0 values, want 1",
		`{"orderId":null}`:    "operation create: save orderId: $.orderId matched a value that is not text, a number or true/false",
		`{"orderId":{"a":1}}`: "operation create: save orderId: $.orderId matched a value that is not text, a number or true/false",
	} {
		if _, err := follow(body); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
	_, err := m.Follow(load.Exchange{}, &client.Response{Status: 201, Body: []byte(`{"orderId":`), Truncated: true, Bytes: 2 << 20})
	if want := "operation create: reply 201: 2097152 bytes are more than perfctl keeps of a body"; err == nil || err.Error() != want {
		t.Errorf("a cut body: %v", err)
	}
}

func TestProgress(t *testing.T) {
	m := newMix(t, shop, 7)
	for _, c := range []struct {
		status int
		body   string
		want   load.Progress
	}{
		{200, `{"status":"DONE"}`, load.Succeeded},
		{200, `{"status":"FAILED"}`, load.Failed},
		{200, `{"status":"OPEN"}`, load.Pending},
		{200, `{}`, load.Pending},
		{200, `{"status":["DONE"]}`, load.Pending},
		{404, `{"status":"DONE"}`, load.Missing},
		{500, `{"status":"DONE"}`, load.PollError},
		{304, ``, load.PollError},
		{200, `DONE`, load.PollError},
	} {
		if got := m.judges[0].progress(&client.Response{Status: c.status, Body: []byte(c.body)}); got != c.want {
			t.Errorf("%d %s: %d, want %d", c.status, c.body, got, c.want)
		}
	}
}

// FuzzReply feeds replies to all that reads them; none may panic, and an id that was
// saved is in the poll's address as it was in the reply.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{`{"orderId":1,"status":"DONE"}`, `{"orderId":"x"}`, `[]`, `{"code":"A"}`, "", "\xff"} {
		f.Add(201, []byte(seed))
	}
	m := newMix(f, shop, 7)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := &client.Response{Status: status, Body: body}
		if o, signature := m.Judge(0, r); (o == load.OK) != (signature == "") {
			t.Errorf("%s with signature %q", o, signature)
		}
		m.judges[0].progress(r)
		if c, err := m.Follow(load.Exchange{}, r); err == nil && !strings.HasPrefix(c.Poll.URL, "http://order:1/orders/") {
			t.Errorf("poll %s", c.Poll.URL)
		}
	})
}

func BenchmarkArrival(b *testing.B) {
	m := newMix(b, shop, 1)
	b.ReportAllocs()
	for i := range b.N {
		_ = m.Arrival(int64(i))
	}
}
