// Reads one query per line, in hex, and writes its pairs, in hex, as url.URL.Query hands them to a handler.
package main

import (
	"bufio"
	"encoding/hex"
	"net/url"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		query, err := hex.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		values, _ := url.ParseQuery(string(query)) // like Query, ignore the error for malformed pairs
		for name, all := range values {
			for _, value := range all {
				out.WriteString(hex.EncodeToString([]byte(name)) + ":" + hex.EncodeToString([]byte(value)) + " ")
			}
		}
		out.WriteString("\n")
	}
}
