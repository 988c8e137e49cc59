package com.wookler.river.rest.server.memcache;

/** What stands as the key of a value in an answer of memcache's protocol. */
public enum ReplyKey {
  /** The key as the client asked for it, with its options: what clients of memcache look for. */
  ASKED,
  /** The name of the queue alone, as Kestrel answers. */
  NAME
}
