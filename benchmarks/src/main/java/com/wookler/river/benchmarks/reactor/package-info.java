/**
 * Reactors beside the subscriber that they take from, and reactors that have nothing to do.
 *
 * <p>May import River's public API and {@code utils}.
 */
@NullMarked
package com.wookler.river.benchmarks.reactor;

import org.jspecify.annotations.NullMarked;
