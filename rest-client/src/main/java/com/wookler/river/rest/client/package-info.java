/**
 * Publishes to and takes from queues of a server.
 *
 * <p>Needs Jackson and nothing else of River: its records are its own, held to the server's
 * contract by a test.
 */
@NullMarked
package com.wookler.river.rest.client;

import org.jspecify.annotations.NullMarked;
