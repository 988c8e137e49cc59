/**
 * The demo: real events through one queue to three subscribers, and a check of what arrived.
 *
 * <p>Allowed imports: River's libraries and {@code examples.utils}.
 */
@NullMarked
package com.wookler.river.examples.demo;

import org.jspecify.annotations.NullMarked;
