// Produces and consumes with gomemcache. See README.md.
package main

import (
	"bytes"
	"crypto/rand"
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

func produce(client *memcache.Client, queue string, first, count int) {
	for i := first; i < first+count; i++ {
		noise := make([]byte, i%300)
		_, err := rand.Read(noise)
		check(err)
		data := append(append([]byte(strconv.Itoa(i)+":"), noise...), tail...)
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
		colon := bytes.IndexByte(item.Value, ':')
		n := number(string(item.Value[:colon]))
		if len(item.Value) != colon+1+n%300+len(tail) || !bytes.HasSuffix(item.Value, []byte(tail)) {
			check(fmt.Errorf("message %d is not what was stored", n))
		}
		fmt.Fprintln(out, n)
	}
	client.Get(queue + "/close")
	check(out.Close())
}
