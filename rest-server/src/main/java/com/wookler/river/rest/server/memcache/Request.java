package com.wookler.river.rest.server.memcache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command as a client sent it.
 *
 * @param verb in lower case
 * @param arguments the words after it, without {@code noreply}
 * @param data what follows the line of a command that stores; null if it has none, or if it is
 *     larger than the server accepts
 * @param noreply whether the client expects no answer
 * @param fault whether it does not follow the grammar, so that where the next one begins is unknown
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Request(
    String verb, List<String> arguments, byte @Nullable [] data, boolean noreply, boolean fault) {
  static final Request FAULT = new Request("", List.of(), null, false, true);

  /** Returns the argument at a place; empty if there are fewer. */
  String argument(int place) {
    return place < arguments.size() ? arguments.get(place) : "";
  }
}
