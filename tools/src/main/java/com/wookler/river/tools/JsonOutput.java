package com.wookler.river.tools;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.MessageSource;
import java.io.IOException;
import java.io.Writer;

/** Writes results as JSON. */
final class JsonOutput {
  static final JsonMapper MAPPER = JsonMapper.builder().build();

  private JsonOutput() {}

  /** Creates a generator that indents, and does not close its target. */
  static JsonGenerator pretty(Writer to) throws IOException {
    return MAPPER
        .getFactory()
        .createGenerator(to)
        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
        .setPrettyPrinter(new DefaultPrettyPrinter());
  }

  /** Returns a finding as JSON, without the parts of its position that are unknown. */
  static ObjectNode of(Finding finding) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("severity", finding.severity().name());
    json.put("file", finding.file().toString());
    put(json, "block", finding.block());
    put(json, "sequence", finding.sequence());
    put(json, "offset", finding.offset());
    return json.put("what", finding.what());
  }

  /** Returns a range of lost messages as JSON. */
  static ObjectNode of(MessageSource.Lost lost) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("first", lost.first()).put("last", lost.last()).put("count", lost.count());
    json.set("why", of(lost.why()));
    return json;
  }

  private static void put(ObjectNode json, String name, long value) {
    if (value != Finding.UNKNOWN) {
      json.put(name, value);
    }
  }
}
