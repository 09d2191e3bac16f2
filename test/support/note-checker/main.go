// Checks what a server of Annals signs and proves with the code of Go's checksum database (golang.org/x/mod/sumdb), which shares
// nothing with it. Reads JSON from standard input; says what does not hold, and ends with 1 then.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index  int64 // from 1, as commits are
	Leaf   []byte
	Hashes []string
}

type consistency struct {
	From, To int64
	Hashes   []string
}

type input struct {
	Key         string
	Older       string
	Newer       string
	Inclusions  []inclusion
	Consistency consistency
}

type head struct {
	size int64
	root tlog.Hash
}

func check(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func open(text, key string) head {
	verifier, err := note.NewVerifier(key)
	check(err, "key")
	signed, err := note.Open([]byte(text), note.VerifierList(verifier))
	check(err, "note")
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		check(fmt.Errorf("%q", signed.Text), "checkpoint")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "size")
	root, err := tlog.ParseHash(lines[2])
	check(err, "root")
	return head{size, root}
}

func proof(texts []string) []tlog.Hash {
	hashes := []tlog.Hash{}
	for _, text := range texts {
		hash, err := tlog.ParseHash(text)
		check(err, "hash")
		hashes = append(hashes, hash)
	}
	return hashes
}

func main() {
	var in input
	check(json.NewDecoder(os.Stdin).Decode(&in), "input")
	older, newer := open(in.Older, in.Key), open(in.Newer, in.Key)
	for _, each := range in.Inclusions {
		err := tlog.CheckRecord(proof(each.Hashes), newer.size, newer.root, each.Index-1, tlog.RecordHash(each.Leaf))
		check(err, fmt.Sprintf("inclusion of %d", each.Index))
	}
	err := tlog.CheckTree(proof(in.Consistency.Hashes), newer.size, newer.root, older.size, older.root)
	check(err, "consistency")
	fmt.Printf("%d commits are in the tree of %d, which begins with that of %d\n", len(in.Inclusions), newer.size, older.size)
}
