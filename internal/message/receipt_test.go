package message

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every language has the same words, and each of them its facts.
func TestWordsOfReceipts(t *testing.T) {
	t.Parallel()
	require.Len(t, receiptWords, 12)
	for lang, words := range receiptWords {
		require.Len(t, words, len(receiptWords["en"]), lang)
		for key, english := range receiptWords["en"] {
			for _, fact := range []string{"{merchant}", "{sum}", "{order}"} {
				require.Equal(t, strings.Contains(english, fact), strings.Contains(words[key], fact), "%s %s %s", lang, key, fact)
			}
			require.NotEmpty(t, words[key], "%s %s", lang, key)
			require.True(t, lang == "en" || words[key] != english, "%s %s", lang, key)
		}
	}
}

// A receipt has its facts on one line, in its language, and says whether a payment is final.
func TestReceipt(t *testing.T) {
	t.Parallel()
	paid, err := ReadReceipt(`{"lang":"fr","order":"Billet <1>\r\n et {sum}","amount":"12.5","token":"USDT","final":true}`)
	require.NoError(t, err)
	line := paid.Line(PayerPaid, "Café & Fils", "https://pay.example.com/pay/7")
	require.Equal(t, Line{Title: "Paiement reçu", Text: "Café & Fils a reçu votre paiement de 12.5 USDT pour Billet <1> et {sum}. Il est définitif.", Link: "https://pay.example.com/pay/7", Lang: "fr"}, line)
	unknown, err := ReadReceipt(`{"lang":"xx","order":"` + strings.Repeat("ü", 200) + `","amount":"1","token":"BTC","final":false}`)
	require.NoError(t, err)
	require.Equal(t, "Shop has received your payment of 1 BTC for "+strings.Repeat("ü", 100)+". It is credited, and not final on its network yet.", unknown.Line(PayerPaid, "Shop", "").Text)
	back := unknown.Line(PayerRefunded, "Shop", "")
	require.True(t, strings.HasPrefix(back.Text, "Shop has sent you a refund of 1 BTC for ü") && strings.HasSuffix(back.Text, "ü."), back.Text)

	texts, err := WriteReceipts("Example Pay", []Line{line, line, back})
	require.NoError(t, err)
	require.Equal(t, "Paiement reçu · Refund sent", texts.Subject)
	require.Contains(t, texts.HTML, `<html lang="fr">`)
	require.Contains(t, texts.HTML, "Billet &lt;1&gt;")
	require.NotContains(t, texts.Text, "Choose what you are told of")
	right, err := WriteReceipts("Example Pay", []Line{{Title: "A", Text: "B", Lang: "ar"}})
	require.NoError(t, err)
	require.Contains(t, right.HTML, `<html lang="ar" dir="rtl">`)
	_, err = ReadReceipt("A payout failed.")
	require.Error(t, err)
}
