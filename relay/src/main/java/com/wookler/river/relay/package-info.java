/**
 * Forwards a local queue to a queue of a River server, so that a server that is away costs no
 * event.
 *
 * <p>Imports the reactor, core and the REST client.
 */
@NullMarked
package com.wookler.river.relay;

import org.jspecify.annotations.NullMarked;
