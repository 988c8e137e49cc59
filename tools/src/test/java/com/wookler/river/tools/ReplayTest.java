package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplayTest extends ToolsFixture {
  private Path copies() {
    return directory.resolve("copies");
  }

  private int replay(Object... more) {
    Object[] args = new Object[6 + more.length];
    args[0] = "replay";
    args[1] = backups();
    args[2] = "--queue";
    args[3] = "copy";
    args[4] = "--to";
    args[5] = copies();
    System.arraycopy(more, 0, args, 6, more.length);
    return run(args);
  }

  private List<String> copied() throws IOException {
    run("dump", copies().resolve("copy"));
    return out().lines().map(ReplayTest::content).toList();
  }

  /** A line of a dump without sequence and time. */
  private static String content(String line) {
    try {
      JsonNode json = JsonOutput.MAPPER.readTree(line);
      return json.path("id").asText()
          + json.path("key").asText()
          + json.path("headers")
          + json.path("data").asText()
          + json.path("base64").asText();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> original() {
    run("dump", backups());
    return out().lines().map(ReplayTest::content).toList();
  }

  @Test
  void shouldPublishABackupIntoAnotherQueue() throws IOException {
    makeQueueWithBackups();

    assertThat(replay()).as(err()).isZero();

    assertThat(out()).contains("40 messages published, 0 already there; 0 lost");
    assertThat(copied()).isEqualTo(original());
    assertThat(replay()).isZero();
    assertThat(out()).contains("0 messages published, 0 already there");
    assertThat(copied()).hasSize(40);
  }

  @Test
  void shouldRefuseToPublishAQueueIntoItself() throws IOException {
    makeQueue();
    Map<Path, String> before = content(data());
    Path link = Files.createSymbolicLink(directory.resolve("link"), data());

    for (Path base : List.of(data(), link)) {
      assertThat(run("replay", own(), "--queue", "orders", "--to", base)).isEqualTo(2);
      assertThat(err()).contains(base.resolve("orders") + " lies in " + own());
    }
    assertThat(run("replay", own(), "--queue", "copy", "--to", own())).isEqualTo(2);
    assertThat(content(data())).isEqualTo(before);
    assertThat(run("replay", own(), "--queue", "copy", "--to", data())).as(err()).isZero();
  }

  @Test
  void shouldPublishARangeAtARate() throws IOException {
    makeQueueWithBackups();
    long started = System.nanoTime();

    assertThat(replay("--from", 12, "--until", 16, "--rate", 20)).as(err()).isZero();

    assertThat(System.nanoTime() - started).isGreaterThan(200_000_000L);
    assertThat(copied()).isEqualTo(original().subList(12, 17));
  }

  @Test
  void shouldPublishWhatWasPublishedInATime() throws IOException {
    makeQueueWithBackups();
    run("dump", "--from", 20, "--to", 20, backups());
    String time = JsonOutput.MAPPER.readTree(out()).path("time").asText();

    assertThat(replay("--from", time)).as(err()).isZero();
    assertThat(copied().get(copied().size() - 1)).isEqualTo(original().get(39));
    assertThat(copied()).containsAll(original().subList(20, 40));
    assertThat(replay("--until", "yesterday")).isEqualTo(2);
    assertThat(replay("--rate", "-1")).isEqualTo(2);
  }

  @Test
  void shouldGoOnBehindItsNoteWithoutRepeating() throws IOException {
    makeQueueWithBackups();
    assertThat(replay("--until", 19)).isZero();
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("copy", MessageConverter.bytes()).directory(copies()).open()) {
      for (long sequence = 20; sequence < 25; sequence++) { // published, and then killed
        Message<byte[]> message = message(sequence);
        queue.publisher().publish(message);
      }
    }

    assertThat(replay()).as(err()).isZero();

    assertThat(out()).contains("15 messages published, 5 already there");
    assertThat(copied()).isEqualTo(original());
  }

  @Test
  void shouldRefuseADamagedNote() throws IOException {
    makeQueueWithBackups();
    assertThat(replay()).isZero();
    Path note = files(copies(), "copy.replay-.*json").get(0);
    flip(note, Files.size(note) / 2);

    assertThat(replay()).isEqualTo(1);
    assertThat(err()).contains(note.toString());
  }

  @Test
  void shouldRefuseAQueueThatIsOpen() {
    makeQueueWithBackups();
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("copy", MessageConverter.bytes()).directory(copies()).open()) {
      assertThat(replay()).isEqualTo(2);
      assertThat(err()).contains("is open");
      assertThat(queue.stats().messages()).isZero();
    }
  }
}
