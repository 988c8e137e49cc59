package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.wookler.river.rest.server.hosting.ShownText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DataWriterTest {
  private static final byte[] BINARY = {-1, 0};
  private static final String SMILE = "\uD83D\uDE00";

  private final ObjectMapper mapper = new ObjectMapper();

  private static DataView view(int preview, @Nullable String text, long textBytes) {
    return new DataView(preview, (headers, data) -> new ShownText(text, null), null, textBytes);
  }

  /** Writes binary data several times, as that of the messages of one answer. */
  private List<JsonNode> written(DataView view, int times) throws IOException {
    DataWriter data = new DataWriter(view);
    List<JsonNode> all = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      try (JsonGenerator json = mapper.createGenerator(written)) {
        json.writeStartObject();
        data.write(json, Map.of(), BINARY);
        json.writeEndObject();
      }
      all.add(mapper.readTree(written.toByteArray()));
    }
    return all;
  }

  @Test
  void shouldCutALongTextWithoutAPreview() throws IOException {
    String text = "x".repeat(DataWriter.MAX_TEXT + 1);
    JsonNode one = written(view(Integer.MAX_VALUE, text, Long.MAX_VALUE), 1).get(0);
    assertThat(one.get("text").asText()).hasSize(DataWriter.MAX_TEXT);
    assertThat(one.get("bytes").asInt()).isEqualTo(2);
    assertThat(one.get("base64").asText()).isEqualTo("/wA=");
  }

  @Test
  void shouldNotCutWithinAPair() throws IOException {
    assertThat(written(view(2, "x" + SMILE, 1_000), 1).get(0).get("text").asText()).isEqualTo("x");
    JsonNode whole = written(view(3, "x" + SMILE, 1_000), 1).get(0);
    assertThat(whole.get("text").asText()).isEqualTo("x" + SMILE);
    assertThat(whole.has("bytes")).isFalse();
  }

  @Test
  void shouldLeaveOutTextsOnceTheyReachTheSizeOfAnAnswer() throws IOException {
    List<JsonNode> all = written(view(100, "größe", 10), 3); // of 7 bytes
    assertThat(all.get(0).get("text").asText()).isEqualTo("größe");
    assertThat(all.get(0).has("bytes")).isFalse();
    assertThat(all.get(1).get("text").asText()).isEqualTo("grö");
    assertThat(all.get(1).get("bytes").asInt()).isEqualTo(2);
    assertThat(all.get(2).has("text")).isFalse();
    assertThat(all.get(2).get("bytes").asInt()).isEqualTo(2);
    assertThat(all.get(2).get("base64").asText()).isEqualTo("/wA=");
  }

  @Test
  void shouldSayNothingOfTextsWhereThereAreNone() throws IOException {
    for (DataView view : List.of(DataView.BYTES, view(100, null, 10))) {
      assertThat(written(view, 3))
          .allSatisfy(one -> assertThat(one.fieldNames()).toIterable().containsExactly("base64"));
    }
  }

  /** Nothing says that a decoder would have made more of data that is text. */
  @Test
  void shouldNotSayThatDataIsCutWhichIsText() throws IOException {
    DataWriter data = new DataWriter(view(100, "much", 0));
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    try (JsonGenerator json = mapper.createGenerator(written)) {
      json.writeStartObject();
      data.write(json, Map.of(), "plain".getBytes(StandardCharsets.UTF_8));
      json.writeEndObject();
    }
    assertThat(mapper.readTree(written.toByteArray()).toString()).isEqualTo("{\"data\":\"plain\"}");
  }
}
