/**
 * The queue as an application sees it: {@link MessageQueue}, its publisher, settings, states and
 * figures; the one assembly point of the module. Allowed imports: all of core, and {@code common}.
 */
@NullMarked
package com.wookler.river.core;

import org.jspecify.annotations.NullMarked;
