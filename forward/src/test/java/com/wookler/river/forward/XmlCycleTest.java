package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.River;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queues of a file whose messages would come back to them. */
@Timeout(120)
class XmlCycleTest {
  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("river.xml");
  }

  private static String param(String name, Object value) {
    return "<param name='%s' value='%s'/>".formatted(name, value);
  }

  private String queue(String name, String params) {
    return """
        <queue name='%s'>
          <params>%s%s%s</params>
        </queue>
        """
        .formatted(
            name,
            param("queue.message.converter", ForwardConfigTest.Text.class.getName()),
            param("queue.directory", directory.resolve("queues")),
            params);
  }

  private void write(String... queues) throws IOException {
    Files.writeString(file, "<river>\n" + String.join("", queues) + "</river>\n");
  }

  private boolean isThere(String queue) {
    return Files.exists(directory.resolve("queues").resolve(queue));
  }

  @Test
  void shouldBeRefusedByFileAndLineBeforeADirectoryIsMade() throws IOException {
    write(
        queue("orders", param("queue.forward", "audit, copies")),
        queue("copies", ""),
        queue("audit", param("queue.expiry.queue", "old")),
        queue("old", param("queue.forward", "audit")));
    assertThatThrownBy(() -> River.open(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("river.xml:8", "comes back to it, through audit → old → audit");
    assertThat(directory.resolve("queues")).doesNotExist();
  }

  @Test
  void shouldBeRefusedByAReloadThatWouldCloseIt() throws IOException {
    String audit = queue("audit", param("queue.forward", "orders"));
    write(queue("orders", ""));
    try (River river = River.open(file)) {
      write(queue("orders", param("queue.expiry.queue", "audit")), audit);
      assertThatThrownBy(river::reload)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContainingAll("river.xml:2", "through orders → audit → orders");
      assertThat(river.queues()).containsOnlyKeys("orders");
      assertThat(isThere("audit")).isFalse();
    }
  }

  @Test
  void shouldOpenWhatTakesTwoWaysToOneQueue() throws IOException {
    write(
        queue("orders", param("queue.forward", "left, right")),
        queue("left", param("queue.forward", "all")),
        queue("right", param("queue.forward", "all")),
        queue("all", ""));
    try (River river = River.open(file)) {
      assertThat(river.queues()).hasSize(4);
    }
  }
}
