package com.wookler.river.benchmarks.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** What goes between the harness and its workers: one line of JSON a request, one an answer. */
final class Wire {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Wire() {}

  static String write(Record message) throws JsonProcessingException {
    return JSON.writeValueAsString(message);
  }

  static <T extends Record> T read(String line, Class<T> type) throws JsonProcessingException {
    return JSON.readValue(line, type);
  }
}
