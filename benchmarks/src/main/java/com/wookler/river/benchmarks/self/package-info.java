/**
 * River beside itself: what must not grow, at a small and a large end; and reactors beside the
 * subscriber that they take from.
 *
 * <p>May import: River's public API, {@code harness}.
 */
@NullMarked
package com.wookler.river.benchmarks.self;

import org.jspecify.annotations.NullMarked;
