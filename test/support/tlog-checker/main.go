// Reads a whole log of Annals with the package fsck of tessera, and with Client.Entries and Client.AllEntries of torchwood. Arguments: the
// prefix of the log, its public key, a token. Says what does not hold, and ends with 1 then.
package main

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"

	"filippo.io/torchwood"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

type bearer string

func (token bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(request)
}

func leafHashes(bundle []byte) ([][]byte, error) {
	parsed := api.EntryBundle{}
	if err := parsed.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	hashes := [][]byte{}
	for _, entry := range parsed.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, nil
}

func fsckTessera(ctx context.Context, verifier note.Verifier) {
	root, err := url.Parse(os.Args[1] + "/")
	check(err, "url")
	fetcher, err := client.NewHTTPFetcher(root, nil)
	check(err, "fetcher")
	fetcher.SetAuthorizationHeader("Bearer " + os.Args[3])
	checker := fsck.New(verifier.Name(), verifier, fetcher, leafHashes, fsck.Opts{N: 4})
	check(checker.Check(ctx), "fsck")
}

// The number of entries from an index, each of which the library has compared with the tree.
func count(entries iter.Seq2[int64, []byte], start int64) int64 {
	next := start
	for index := range entries {
		if index != next {
			check(fmt.Errorf("%d comes in place of %d", index, next), "order")
		}
		next++
	}
	return next - start
}

func main() {
	ctx := context.Background()
	verifier, err := note.NewVerifier(os.Args[2])
	check(err, "key")
	fsckTessera(ctx, verifier)
	fetcher, err := torchwood.NewTileFetcher(
		os.Args[1]+"/",
		torchwood.WithHTTPClient(&http.Client{Transport: bearer(os.Args[3])}),
		torchwood.WithConcurrencyLimit(4),
	)
	check(err, "fetcher")
	reader, err := torchwood.NewClient(fetcher)
	check(err, "client")
	signed, err := fetcher.ReadEndpoint(ctx, "checkpoint")
	check(err, "checkpoint")
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err, "note")
	checkpoint, err := torchwood.ParseCheckpoint(opened.Text)
	check(err, "checkpoint")
	tree := checkpoint.Tree
	full := count(reader.Entries(ctx, tree, 0), 0)
	check(reader.Err(), "Entries")
	all := count(reader.AllEntries(ctx, tree, 0), 0)
	check(reader.Err(), "AllEntries")
	if full != tree.N-tree.N%torchwood.TileWidth || all != tree.N {
		check(fmt.Errorf("%d and %d entries of %d", full, all, tree.N), "entries")
	}
	entry, proof, err := reader.Entry(ctx, tree, tree.N/2)
	check(err, "Entry")
	hash := tlog.RecordHash(entry)
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, tree.N/2, hash), "CheckRecord")
	fmt.Printf("fsck holds, Entries reads %d, AllEntries reads %d\n", full, all)
}
