package panel_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/people"
)

const sheetHead = "network,token,address,amount,memo,fees_from_amount\r\n"

// lines is a file of so many withdrawals of 10 USDT.
func lines(n int) string {
	var out strings.Builder
	out.WriteString("\ufeff" + sheetHead)
	for i := range n {
		out.WriteString("Tron,USDT,TJRabPrwbZy45sbavfcjinPJC18kjpRTv" + strconv.Itoa(i) + ",10,,\r\n")
	}
	return out.String()
}

// sends uploads a file to be checked.
func (p *person) sends(file string) (int, string) {
	p.Helper()
	return p.uploads("withdraw/sheet", "/check", file)
}

// uploads sends a file to an act of a page.
func (p *person) uploads(page, act, file string) (int, string) {
	p.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	p.must(form.WriteField("csrf", p.csrf()))
	p.must(form.WriteField("back", "/panel/"+page))
	part, err := form.CreateFormFile("file", "a file")
	p.must(err)
	_, err = part.Write([]byte(file))
	p.must(err)
	p.must(form.Close())
	code, to, answer := p.raw(http.MethodPost, page+act, &body, "Content-Type", form.FormDataContentType())
	if code == http.StatusSeeOther {
		_, answer = p.get(strings.TrimPrefix(to, "/panel/"))
	}
	return code, answer
}

// sheetForm is the form of a page that confirms a file, without its code.
func sheetForm(page string) []string {
	unescape := strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&amp;", "&", "&#13;", "\r").Replace
	return []string{"form", hidden(page, "form"), "figures", hidden(page, "figures"), "lines", unescape(hidden(page, "lines"))}
}

// A file is checked line by line, shown with its sums, recorded with one code, and not again by the same form.
func TestAFileOfWithdrawals(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	code := ann.coded()
	got, page := ann.sends(lines(3))
	if got != http.StatusOK || !strings.Contains(page, "30 USDT") || !strings.Contains(page, "33 USDT") || len(f.withdrawals.recorded) > 0 {
		t.Fatalf("the check is answered %d %s", got, page)
	}
	form := sheetForm(page)
	if _, page := ann.do("withdraw/sheet", append(form, "code", "000000")...); !strings.Contains(page, "code is wrong") || len(f.withdrawals.recorded) > 0 {
		t.Errorf("a wrong code is answered %s", page)
	}
	if got, page := ann.do("withdraw/sheet", append(form, "code", code())...); got != http.StatusOK || !strings.Contains(page, "All 3 lines are recorded") {
		t.Fatalf("the code is answered %d %s", got, page)
	}
	f.withdrawals.left = decimal.Zero
	if _, page := ann.do("withdraw/sheet", append(form, "code", "")...); !strings.Contains(page, "All 3 lines are recorded") || len(f.withdrawals.recorded) != 3 {
		t.Errorf("the form sent again is answered %s", page)
	}
	form[5] = strings.Replace(form[5], ",10,", ",11,", 1)
	if _, page := ann.do("withdraw/sheet", append(form, "code", "")...); !strings.Contains(page, "another withdrawal") {
		t.Errorf("the form with another line is answered %s", page)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person.withdraw-file") != 1 {
		t.Errorf("audited %q", got)
	}
}

// A line that is refused keeps the whole file back; what cannot be read is named with its line.
func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	ann.coded()
	for file, want := range map[string]string{
		"": "is empty", sheetHead: "no line but", "network,token,address\nTron,USDT,T": "does not name the column amount",
		"network;token;address;amount\n": "separated by commas", "network,token,address,amount,amount\n": "there twice",
		sheetHead + "\"Tron,USDT": "is no CSV", lines(1001): "more than 1000 lines",
		lines(10): "1 of 10 lines are refused",
		sheetHead + "Tron,USDT,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,1,,yes": "must be 0 or 1",
		sheetHead + "Tron,USDT,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,1,,,x":  "more fields",
		sheetHead + "Tron,USDT,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,x":      "1 of 1 lines are refused",
	} {
		if _, page := ann.sends(file); !strings.Contains(page, want) || hidden(page, "figures") != "" {
			t.Errorf("%.60q is answered %s", file, page)
		}
	}
	if _, page := ann.sends(lines(2) + strings.SplitAfter(lines(1), "\n")[1]); !strings.Contains(page, "2 and 4") {
		t.Errorf("a line that is there twice is answered %s", page)
	}
	if len(f.withdrawals.recorded) > 0 {
		t.Error("something was recorded")
	}
}

// Where one answer is lost, the page says so, and the same form records the other lines alone.
func TestAFileWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	_, page := ann.sends(lines(3))
	form := sheetForm(page)
	f.withdrawals.lost = 1
	_, page = ann.do("withdraw/sheet", append(form, "code", code())...)
	if !strings.Contains(page, "2 of 3 lines are recorded") || !strings.Contains(page, "not known") {
		t.Fatalf("the lost answer is %s", page)
	}
	if _, page := ann.do("withdraw/sheet", append(sheetForm(page), "code", "")...); !strings.Contains(page, "All 3 lines are recorded") {
		t.Errorf("the form of the page is answered %s", page)
	}
	delete(f.withdrawals.recorded, "panel-"+form[1]+"-2")
	f.withdrawals.left = decimal.NewFromInt(5)
	if _, page := ann.do("withdraw/sheet", append(form, "code", "")...); !strings.Contains(page, "2 of 3 lines are recorded") || !strings.Contains(page, "does not cover") {
		t.Errorf("without money for the last line the form is answered %s", page)
	}
	f.withdrawals.left, f.withdrawals.fee = decimal.NewFromInt(50), decimal.NewFromInt(2)
	_, page = ann.do("withdraw/sheet", append(form, "code", "")...)
	if !strings.Contains(page, "dearer") || len(f.withdrawals.recorded) != 2 {
		t.Errorf("a dearer line is answered %s", page)
	}
	if _, page := ann.do("withdraw/sheet", append(sheetForm(page), "code", code())...); !strings.Contains(page, "All 3 lines are recorded") || f.withdrawals.left.String() != "38" {
		t.Errorf("the new figures are answered %s", page)
	}
}
