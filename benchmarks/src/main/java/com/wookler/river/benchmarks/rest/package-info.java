/**
 * What the REST server does: publishing, many publishers, the Java client, many idle long polls and
 * connections.
 *
 * <p>May import: River's public API, the REST client, {@code harness}.
 */
@NullMarked
package com.wookler.river.benchmarks.rest;

import org.jspecify.annotations.NullMarked;
