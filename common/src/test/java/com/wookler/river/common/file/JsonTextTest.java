package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.wookler.river.common.errors.DamagedException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares with Jackson's mapper, by which these files may be read elsewhere. */
class JsonTextTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "true",
        "\"text\"",
        " {\"a\" : 1, \"b\":[ ], \"c\":{}, \"d\":[1,[2,{\"e\":null}],false]} ",
        "{\"int\":-7,\"long\":-9223372036854775808,\"big\":9223372036854775808}",
        "{\"double\":0.1,\"exponent\":-1.5E300}",
        "{\"escapes\":\"\\\" \\\\ \\n \\u0001 \\u00e9 é 😀 \\ud800\",\"\":\"empty name\"}",
        "{\"twice\":1,\"twice\":2}",
        "{\"first\":1} {\"second\":2}"
      })
  void shouldReadAndWriteAsTheMapperDoes(String text) throws IOException {
    JsonNode tree = JsonText.read(bytes(text));
    assertThat(tree).isEqualTo(MAPPER.readTree(bytes(text)));
    assertThat(JsonText.write(tree)).isEqualTo(tree.toString());
    assertThat(JsonText.encode(tree))
        .isEqualTo(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree));
    assertThat(JsonText.read(JsonText.encode(tree))).isEqualTo(tree);
  }

  @ParameterizedTest
  @ValueSource(strings = {"é", "😀", "\ud83d", "before \ude00 after"})
  void shouldKeepAnyTextInAFile(String text) throws IOException {
    Path file = directory.resolve("file.json");
    CheckedJson.write(file, CheckedJson.object(1).put("text", text));
    assertThat(CheckedJson.read(file, 1).get("text").asText()).isEqualTo(text);
  }

  @Test
  void shouldWriteEachKindOfNumberAsTheMapperDoes() throws IOException {
    JsonNode tree =
        JsonText.NODES
            .arrayNode()
            .add((short) -3)
            .add(0.1f)
            .add(0.1)
            .add(new BigDecimal("0.1000000000000000000000000000001"));
    assertThat(JsonText.write(tree)).isEqualTo(tree.toString());
    assertThat(JsonText.encode(tree))
        .isEqualTo(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree));
  }

  @Test
  void shouldFindNothingInAnEmptyText() throws IOException {
    assertThat(JsonText.read(new byte[0])).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":1", "{\"a\"}", "[1,]", "{]", "nul", "\u0000", "]"})
  void shouldRefuseWhatIsNoJson(String text) throws IOException {
    assertThatThrownBy(() -> JsonText.read(bytes(text))).isInstanceOf(JacksonException.class);
    Path file = Files.write(directory.resolve("file.json"), bytes(text));
    assertThatThrownBy(() -> CheckedJson.read(file))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("is no JSON");
  }

  /** So begins what another encoding has: damage, not a file that cannot be read now. */
  @Test
  void shouldRefuseBytesThatLookLikeAnotherEncoding() {
    byte[] zeroed = "{\"a\":1,\"b\":\"cdefgh\"}  ".getBytes(StandardCharsets.UTF_8);
    zeroed[1] = 0;
    zeroed[2] = 0;
    zeroed[3] = 0;
    assertThatThrownBy(() -> JsonText.read(zeroed)).isInstanceOf(JacksonException.class);
  }
}
