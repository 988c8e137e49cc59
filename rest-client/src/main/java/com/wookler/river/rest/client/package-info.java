/**
 * Client of the REST server: publishes messages to queues and consumes them.
 *
 * <p>It depends on Jackson, and on no other module of River: it has its own records, which a test
 * compares with the server's contract.
 */
@NullMarked
package com.wookler.river.rest.client;

import org.jspecify.annotations.NullMarked;
