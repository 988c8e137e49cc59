/**
 * Offers over HTTP what {@link com.wookler.river.rest.server.hosting} hosts: connections, requests
 * and their bodies, routes, JSON, streams, TLS. The only package that sees Vert.x, but for the
 * class that starts the server.
 */
@NullMarked
package com.wookler.river.rest.server.http;

import org.jspecify.annotations.NullMarked;
