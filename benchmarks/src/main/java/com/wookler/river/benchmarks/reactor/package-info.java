/**
 * Reactors beside the subscriber that they take from, how soon they wake, and what they cost while
 * they have nothing to do.
 *
 * <p>May import: River's public API, {@code harness}, {@code report}, picocli.
 */
@NullMarked
package com.wookler.river.benchmarks.reactor;

import org.jspecify.annotations.NullMarked;
