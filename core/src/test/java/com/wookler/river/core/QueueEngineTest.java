package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues of a file that another engine keeps. */
class QueueEngineTest {
  @TempDir Path directory;

  @BeforeEach
  void forget() {
    RecordingEngine.clear();
  }

  private Path file(String... queues) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"), "<river>\n" + String.join("\n", queues) + "\n</river>");
  }

  private static String elsewhere(String name, String engine, String... params) {
    String more = String.join("", params);
    return """
        <queue name="%s" engine="%s"><params>
          <param name="queue.message.converter" value="utf8"/>%s
        </params></queue>
        """
        .formatted(name, engine, more);
  }

  private String local(String name) {
    return """
        <queue name="%s" engine="local"><params>
          <param name="queue.message.converter" value="utf8"/>
          <param name="queue.directory" value="%s"/>
        </params></queue>
        """
        .formatted(name, directory.resolve("data"));
  }

  @Test
  void shouldPublishWhereTheFileSays() throws IOException {
    try (River river = River.open(file(elsewhere("a", "recording"), local("b")))) {
      Publisher<String> other = river.publisher("a");
      Publisher<String> own = river.publisher("b");
      other.publish("one");
      own.publish("two");
      assertThat(RecordingEngine.PUBLISHED).containsExactly("one");
      assertThat(river.queue("b").read(0).orElseThrow().data()).isEqualTo("two");
      assertThat(river.queues()).containsOnlyKeys("b");
    }
    assertThat(RecordingEngine.CALLS)
        .containsExactly("read a 2", "start a", "close reactors of a", "close a");
  }

  @Test
  void shouldNeedNoQueueOfItsOwnAndTakeTheConverterOfDefaults() throws IOException {
    String defaults =
        "<defaults queue=\"*\"><params><param name=\"queue.message.converter\" value=\"utf8\"/>"
            + "<param name=\"queue.directory\" value=\"none\"/></params></defaults>";
    try (River river = River.open(file(defaults, "<queue name=\"a\" engine=\"recording\"/>"))) {
      assertThat(river.<String>publisher("a").publish("one")).isZero();
    }
  }

  @Test
  void shouldSayWhatIsMissing() throws IOException {
    refuses("which needs the module river-kafka on the class path", elsewhere("a", "kafka"));
    refuses("engine=\"kafak\", which is unknown", elsewhere("a", "kafak"));
    refuses("queue.message.converter", "<queue name=\"a\" engine=\"recording\"/>");
    refuses("two queues of the name A", local("a"), elsewhere("A", "recording"));
    refuses("attribute 'engin'", "<queue name=\"a\" engin=\"recording\"/>");
  }

  private void refuses(String why, String... queues) throws IOException {
    Path file = file(queues);
    assertThatThrownBy(() -> River.open(file).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("river.xml:");
  }

  @Test
  void shouldCloseWhatWasStartedIfAnotherCannotStart() throws IOException {
    Path file =
        file(
            elsewhere("a", "recording"),
            elsewhere("b", "recording", "<param name=\"refused\" value=\"true\"/>"),
            local("c"));
    assertThatThrownBy(() -> River.open(file).close()).isInstanceOf(ConfigurationException.class);
    assertThat(RecordingEngine.CALLS).contains("start a", "close a").doesNotContain("start b");
    River.open(file(local("c"))).close(); // nothing has it open
  }

  @Test
  void shouldCloseReactorsBeforeWhatTheyPublishInto() throws IOException {
    River river = River.open(file(elsewhere("a", "recording"), local("b")));
    RecordingEngine.looksAt(() -> ", b " + river.queue("b").state());
    river.close();
    assertThat(RecordingEngine.CALLS)
        .containsSubsequence("close reactors of a, b RUNNING", "close a, b STOPPED");
  }

  @Test
  void shouldNotKeepAQueueOfAnotherEngineItself() throws IOException {
    Path file = file(elsewhere("a", "recording"), local("b"));
    ConfigNode node = ConfigParser.parse(file).children("queue").get(0);
    MessageQueue<String> queue = new MessageQueue<>();
    assertThatThrownBy(() -> queue.configure(node))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("river.xml:", "only River.open", "River.publisher");
    try (River river = River.open(file)) {
      assertThat(river.elsewhere()).containsExactly("a");
    }
  }

  @Test
  void shouldHaveNoMessageQueueElsewhere() throws IOException {
    try (River river = River.open(file(elsewhere("a", "recording")))) {
      assertThatThrownBy(() -> river.queue("a"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("River.publisher");
      assertThatThrownBy(() -> river.publisher("b")).hasMessageContaining("no queue 'b'");
    }
  }

  @Test
  void shouldNotChangeAnEngineWhileItRuns() throws IOException {
    try (River river = River.open(file(elsewhere("a", "recording"), local("b")))) {
      file(elsewhere("b", "recording"));
      assertThatThrownBy(river::reload).hasMessageContaining("has another engine than the one");
      file(local("a"), local("b"));
      assertThatThrownBy(river::reload).hasMessageContaining("has another engine than the one");
      file(elsewhere("a", "recording"), local("b"));
      assertThat(river.reload().toString()).isNotEmpty();
      assertThat(river.queues()).containsOnlyKeys("b");
    }
  }
}
