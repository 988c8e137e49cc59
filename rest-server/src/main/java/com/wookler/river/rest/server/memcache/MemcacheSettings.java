package com.wookler.river.rest.server.memcache;

/**
 * How the server speaks memcache's protocol.
 *
 * @param host address to listen on
 * @param port to listen on; 0 for any that is free
 * @param threads event loops
 * @param replyKey the key of a value
 * @param maxOpen reads that one connection may have open on one queue
 * @param allowsShutdown whether a client may stop the server
 */
public record MemcacheSettings(
    String host, int port, int threads, ReplyKey replyKey, int maxOpen, boolean allowsShutdown) {}
