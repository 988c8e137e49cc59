/**
 * Options that several commands have, each with what it does.
 *
 * <p>May import: picocli, {@code report}, {@code utils}, {@code common}'s root package.
 */
@NullMarked
package com.wookler.river.benchmarks.options;

import org.jspecify.annotations.NullMarked;
