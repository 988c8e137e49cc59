/**
 * River beside plain Chronicle Queue and other queues, all in one run.
 *
 * <p>Arrows: this package starts all others; each of them may import {@code harness}, {@code load}
 * also {@code system}. Nothing of River may import anything from here.
 */
@NullMarked
package com.wookler.river.benchmarks;

import org.jspecify.annotations.NullMarked;
