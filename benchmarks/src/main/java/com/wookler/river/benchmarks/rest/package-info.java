/**
 * What the REST server does: publishing, many publishers, many idle long polls and connections.
 *
 * <p>May import: River's public API, the REST client, {@code harness}, {@code report}, picocli,
 * {@code common}'s root package.
 */
@NullMarked
package com.wookler.river.benchmarks.rest;

import org.jspecify.annotations.NullMarked;
