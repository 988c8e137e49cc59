/**
 * What every benchmark needs besides the queues.
 *
 * <p>May import: the JDK only.
 */
@NullMarked
package com.wookler.river.benchmarks.utils;

import org.jspecify.annotations.NullMarked;
