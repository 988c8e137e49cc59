/**
 * The hosted queues over memcache's text protocol, as Kestrel speaks it: {@code MemcacheService}
 * listens, {@code RequestParser} reads what a connection sends, {@code Session} answers one command
 * after the other, {@code Commands} has the verbs, {@code OpenReads} what a connection has taken
 * and not yet completed.
 *
 * <p>May import {@code rest.server.hosting}, {@code core}, {@code core.subscriber}, {@code
 * core.message}, {@code common}, Vert.x and Netty, nothing of HTTP.
 */
@NullMarked
package com.wookler.river.rest.server.memcache;

import org.jspecify.annotations.NullMarked;
