/**
 * Queues out of process, over HTTP.
 *
 * <p>May import rest.server.hosting and rest.server.http, and of the rest of River core,
 * core.subscriber, core.message and common.
 */
@NullMarked
package com.wookler.river.rest.server;

import org.jspecify.annotations.NullMarked;
