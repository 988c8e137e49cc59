package com.wookler.river.rest.server.memcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How names of clients become names in River, and back. */
@Timeout(60)
class QueueNameTest {
  @ParameterizedTest
  @CsvSource({
    "jobs,jobs",
    "a:b,a.3ab",
    ":a,_..3aa",
    "_:a,_.3aa",
    "-a,_..2da",
    "a-,a-",
    "a$1\\,a.241.5c",
    "\u00e9,_..e9"
  })
  void shouldEscapeWhatNoNameMayHave(String name, String queue) {
    assertThat(QueueName.of(name)).isEqualTo(new QueueName(queue, "kestrel"));
    assertThat(QueueName.of("x+" + name)).isEqualTo(new QueueName("x", queue));
    assertThat(new QueueName(queue, queue).text()).isEqualTo(name + "+" + name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.0d.0aEND", "a.20b", "a.2bb", "a.2eb", "a.5fb", "a.3Ab", "a.b", "_.a"})
  void shouldShowOtherNamesAsTheyAre(String queue) {
    assertThat(new QueueName(queue, QueueName.READER).text()).isEqualTo(queue);
  }

  @Test
  void shouldHaveAnotherNameForEachOfAClient() {
    for (char a = '!'; a < 256; a++) {
      for (char b = '!'; b < 256; b++) {
        String name = "" + a + b;
        if (QueueName.isLegal(name)) {
          assertThat(QueueName.of(name).text()).isEqualTo(name);
        }
      }
    }
  }
}
