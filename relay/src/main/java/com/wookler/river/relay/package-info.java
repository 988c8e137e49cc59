/**
 * Forwards a local queue to a queue of a River server, so that no event is lost while the server is
 * unavailable.
 *
 * <p>Imports the reactor, core and the REST client.
 */
@NullMarked
package com.wookler.river.relay;

import org.jspecify.annotations.NullMarked;
