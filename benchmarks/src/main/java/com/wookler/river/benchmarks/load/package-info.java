/**
 * The load harness: lines of work, each done by several systems in turn, each system in a JVM of
 * its own.
 *
 * <p>May import: {@code system}, {@code options}, {@code report}, {@code profile}, {@code utils},
 * River's {@code common}, Jackson, HdrHistogram, picocli.
 */
@NullMarked
package com.wookler.river.benchmarks.load;

import org.jspecify.annotations.NullMarked;
