// Produces and consumes with gomemcache. See README.md.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

const tail = "\r\nEND\r\n"

func main() {
	mode, port, queue := os.Args[2], os.Args[3], os.Args[4]
	client := memcache.New("127.0.0.1:" + port)
	client.Timeout = 30 * time.Second
	client.MaxIdleConns = 1 // what is open belongs to one connection
	if mode == "produce" {
		produce(client, queue, number(os.Args[5]), number(os.Args[6]))
	} else {
		consume(client, queue, os.Args[5], os.Args[6])
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func message(number int, body []byte) []byte {
	head := []byte(strconv.Itoa(number) + ":")
	sum := sha256.Sum256(append(head[:len(head):len(head)], body...))
	return append(append(head, fmt.Sprintf("%x:", sum)...), body...)
}

func produce(client *memcache.Client, queue string, first, count int) {
	for i := first; i < first+count; i++ {
		noise := make([]byte, i%300)
		_, err := rand.Read(noise)
		check(err)
		data := message(i, append(noise, tail...))
		for client.Set(&memcache.Item{Key: queue, Value: data}) != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func consume(client *memcache.Client, queue, path, stop string) {
	out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(err)
	for empty := 0; empty < 3; {
		item, err := client.Get(queue + "/close/open/t=200")
		if errors.Is(err, memcache.ErrCacheMiss) {
			if _, gone := os.Stat(stop); gone == nil {
				empty++
			}
			continue
		}
		if err != nil {
			empty = 0
			time.Sleep(100 * time.Millisecond)
			continue
		}
		empty = 0
		parts := bytes.SplitN(item.Value, []byte(":"), 3)
		n := number(string(parts[0]))
		if len(parts) < 3 || !bytes.Equal(item.Value, message(n, parts[2])) {
			check(fmt.Errorf("message %d is not what was stored", n))
		}
		fmt.Fprintln(out, n)
	}
	client.Get(queue + "/close")
	check(out.Close())
}
