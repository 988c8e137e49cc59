package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublishReaderTest {
  private static int objects(String json) {
    return PublishReader.objects(Buffer.buffer(json));
  }

  @Test
  void shouldCountObjectsButNotThoseInTexts() {
    assertThat(objects("")).isZero();
    assertThat(objects("{\"messages\":[{\"data\":\"{{\"},{\"headers\":{}}]}")).isEqualTo(4);
    assertThat(objects("{\"data\":\"\\\"{\"}\n{\"data\":\"\\\\\"}")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {8_180, 8_181, 8_182, 8_183, 8_184, 16_376})
  void shouldCountWhereverTheBodyIsCut(int length) {
    String one = "{\"data\":\"" + "x".repeat(length) + "\\\"{\\\\\"}";
    assertThat(objects(one + one + "{}")).isEqualTo(3);
  }
}
