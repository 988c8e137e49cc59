/**
 * Reactors: each takes messages from a subscriber and pushes them through a chain of processors.
 *
 * <p>May import {@code core}, {@code core.subscriber}, {@code core.message} and {@code common}.
 */
@NullMarked
package com.wookler.river.reactor;

import org.jspecify.annotations.NullMarked;
