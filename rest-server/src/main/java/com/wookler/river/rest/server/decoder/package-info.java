/**
 * What an operator's own code implements so that the server shows data that is no text.
 *
 * <p>Imports nothing.
 */
@NullMarked
package com.wookler.river.rest.server.decoder;

import org.jspecify.annotations.NullMarked;
