/**
 * What the protocols of a server share: the queues that it hosts, who may use them, how much may be
 * under way, and the requests that wait. Nothing here knows a protocol; what cannot be done is a
 * {@link com.wookler.river.rest.server.hosting.RequestException} with its reason.
 */
@NullMarked
package com.wookler.river.rest.server.hosting;

import org.jspecify.annotations.NullMarked;
