/**
 * Queues out of process, over HTTP.
 *
 * <p>May import core, core.subscriber, core.message and common, and of core.log what a recycle
 * strategy is.
 */
@NullMarked
package com.wookler.river.rest.server;

import org.jspecify.annotations.NullMarked;
