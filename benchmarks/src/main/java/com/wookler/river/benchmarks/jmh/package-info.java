/**
 * JMH benchmarks of the small paths, one thread each, and the suite that runs them.
 *
 * <p>May import: River's public API, JMH, {@code harness}.
 */
@NullMarked
package com.wookler.river.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
