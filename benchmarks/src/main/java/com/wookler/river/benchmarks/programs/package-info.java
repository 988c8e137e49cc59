/**
 * Load programs that queue servers have long been tried with, against queues inside this JVM or at
 * a server, by HTTP or by memcache's protocol: put-many, many-clients, flood, packing. A client is
 * a thread.
 *
 * <p>May import: River's public API, the REST client, {@code harness}, picocli, {@code common}'s
 * root package.
 */
@NullMarked
package com.wookler.river.benchmarks.programs;

import org.jspecify.annotations.NullMarked;
