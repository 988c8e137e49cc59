module river.test/memcache

go 1.21

require github.com/bradfitz/gomemcache v0.0.0-20250403215159-8d39553ac7cf
