/**
 * What the REST server does: publishing, many publishers, many idle long polls.
 *
 * <p>May import: River's public API, the REST client, picocli, {@code options}, {@code report},
 * {@code utils}, {@code common}'s root package.
 */
@NullMarked
package com.wookler.river.benchmarks.rest;

import org.jspecify.annotations.NullMarked;
