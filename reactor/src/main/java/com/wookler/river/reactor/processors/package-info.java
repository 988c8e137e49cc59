/**
 * Processors that are ready for use.
 *
 * <p>May import {@code reactor} and what that may import.
 */
@NullMarked
package com.wookler.river.reactor.processors;

import org.jspecify.annotations.NullMarked;
