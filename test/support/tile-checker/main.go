// Reads a whole log of Annals from its tiles and entry bundles with the code of Go's checksum database (golang.org/x/mod/sumdb), which
// shares nothing with it. Arguments: the prefix of the log, its public key, a token. Says what does not hold, and ends with 1 then.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const width = 256

func check(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", os.Args[1]+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Args[3])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("%s: %d %s", path, response.StatusCode, body)
	}
	return body, err
}

// The path of c2sp.org/tlog-tiles: that of the checksum database without its height.
func pathOf(tile tlog.Tile) string {
	return "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
}

type tiles struct{ read int }

func (*tiles) Height() int                         { return 8 }
func (*tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	all := [][]byte{}
	for _, tile := range wanted {
		data, err := get(pathOf(tile))
		if err != nil {
			return nil, err
		}
		t.read++
		all = append(all, data)
	}
	return all, nil
}

func head() tlog.Tree {
	text, err := get("checkpoint")
	check(err, "checkpoint")
	verifier, err := note.NewVerifier(os.Args[2])
	check(err, "key")
	signed, err := note.Open(text, note.VerifierList(verifier))
	check(err, "note")
	lines := strings.Split(signed.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "size")
	root, err := tlog.ParseHash(lines[2])
	check(err, "root")
	return tlog.Tree{N: size, Hash: root}
}

// The entries of a bundle, of which the tree of a size has so many.
func entries(number, count int64) [][]byte {
	tile := tlog.Tile{H: 8, L: -1, N: number, W: int(count)}
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	data, err := get(path)
	check(err, "entries")
	all := [][]byte{}
	for len(data) > 2 {
		end := 2 + int(binary.BigEndian.Uint16(data))
		if end > len(data) {
			break
		}
		all = append(all, data[2:end])
		data = data[end:]
	}
	if len(data) != 0 || int64(len(all)) != count {
		check(fmt.Errorf("%d entries, and %d bytes more", len(all), len(data)), path)
	}
	return all
}

func main() {
	tree := head()
	reader := &tiles{}
	proved := tlog.TileHashReader(tree, reader)
	stored := []tlog.Hash{}
	own := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := []tlog.Hash{}
		for _, index := range indexes {
			hashes = append(hashes, stored[index])
		}
		return hashes, nil
	})
	for number := int64(0); number*width < tree.N; number++ {
		count := tree.N - number*width
		if count > width {
			count = width
		}
		indexes := []int64{}
		for at, entry := range entries(number, count) {
			index := number*width + int64(at)
			hashes, err := tlog.StoredHashesForRecordHash(index, tlog.RecordHash(entry), own)
			check(err, "hash")
			indexes = append(indexes, tlog.StoredHashIndex(0, index))
			stored = append(stored, hashes...)
		}
		expected, err := proved.ReadHashes(indexes)
		check(err, "tiles")
		for at, index := range indexes {
			if stored[index] != expected[at] {
				check(fmt.Errorf("another hash than the tile has"), fmt.Sprintf("entry %d", number*width+int64(at)))
			}
		}
	}
	root, err := tlog.TreeHash(tree.N, own)
	check(err, "root")
	if root != tree.Hash {
		check(fmt.Errorf("%v, and the entries have %v", tree.Hash, root), "root")
	}
	fmt.Printf("%d entries have the root of the checkpoint, and are in the tiles\n", tree.N)
}
