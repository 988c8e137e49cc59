package com.wookler.river.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.ValueExpression;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The values that expressions compute from messages. */
class ValueExpressionTest {
  private static final Map<String, byte[]> HEADERS =
      Map.of("type", "order".getBytes(StandardCharsets.UTF_8));

  private static @Nullable Object value(String expression, String data) {
    return ValueExpression.parse(expression).value("EU", HEADERS, data);
  }

  @Test
  void shouldGiveWhatJsonHas() {
    assertThat(value("key", "{}")).isEqualTo("EU");
    assertThat(value("json.none", "{}")).isNull();
    assertThat(value("json.a > 1", "{\"a\":2}")).isEqualTo(true);
    assertThat(value("json.a * 2", "{\"a\":2}")).hasToString("4");
    assertThat(value("key + '-' + headers.type", "{}")).isEqualTo("EU-order");
    assertThat(value("key == 'EU' ? 'in' : 'out'", "{}")).isEqualTo("in");
    assertThat(value("headers", "{}")).isEqualTo(Map.of("type", "order"));
    assertThat(value("json", "{\"a\":[1,{\"b\":null}]}")).hasToString("{a=[1, {b=null}]}");
    assertThat(value("[json.a, 'x']", "{\"a\":null}")).isEqualTo(Arrays.asList(null, "x"));
    assertThat(value("[1, 2]", "{}")).isEqualTo(List.of(1, 2));
    assertThat(value("{'k': key}", "{}")).isEqualTo(Map.of("k", "EU"));
  }

  @Test
  void shouldFailInOneShortLine() {
    assertThatThrownBy(() -> value("json.a", "no\njson" + " x".repeat(1_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(250).doesNotContain("\n"));
    assertThatThrownBy(() -> value("'a' * key", "{}")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldEndWithoutDoingWorkForEver() {
    String text = "[json" + ", json".repeat(1_000) + "]";
    assertThatThrownBy(() -> value(text, "[" + "1,".repeat(10_000) + "1]"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("steps");
    assertThatThrownBy(() -> value("1..2000000000", "{}").toString())
        .isInstanceOfAny(IllegalArgumentException.class, ConfigurationException.class);
  }

  @Test
  void shouldBeAsSafeAsAFilter() {
    for (String refused : List.of("", "unknown", "key.length()", "new('x')", "x = 1", "json.a(")) {
      assertThatThrownBy(() -> ValueExpression.parse(refused))
          .as(refused)
          .isInstanceOf(ConfigurationException.class);
    }
    assertThat(ValueExpression.parse("key")).isEqualTo(ValueExpression.parse("key"));
    assertThat(ValueExpression.parse("key").hashCode())
        .isEqualTo(ValueExpression.parse("key").hashCode());
    assertThat(ValueExpression.parse("key")).hasToString("key").isNotEqualTo("key");
  }
}
