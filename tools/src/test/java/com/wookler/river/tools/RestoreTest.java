package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RestoreTest extends ToolsFixture {
  private Path restored() {
    return directory.resolve("restored").resolve("orders");
  }

  private String dump(Path from) {
    assertThat(run("dump", from)).isZero();
    return out();
  }

  @Test
  void shouldMakeAQueueThatDeliversWhatWasBackedUp() {
    makeQueueWithBackups();
    Map<Path, String> before = content(backups());

    assertThat(run("restore", backups(), "--to", restored())).as(err()).isZero();

    assertThat(out()).contains("40 messages in 4 blocks, sequences 0 to 39");
    assertThat(run("verify", restored())).as(out()).isZero();
    assertThat(dump(restored())).isEqualTo(dump(backups()));
    assertThat(content(backups())).isEqualTo(before);
    try (MessageQueue<byte[]> queue = builder(directory.resolve("restored")).open()) {
      assertThat(new String(queue.read(26).orElseThrow().data(), StandardCharsets.UTF_8))
          .isEqualTo("message 26");
      Subscriber<byte[]> again = queue.subscriber("again");
      List<Long> sequences = new ArrayList<>();
      for (Delivery<byte[]> next = again.next(); next != null; next = again.next()) {
        sequences.add(next.sequence());
        if (next.sequence() % 2 == 1) {
          assertThat(next.key()).isEqualTo("key " + next.sequence());
        }
      }
      assertThat(sequences).hasSize(40).startsWith(0L, 1L).endsWith(38L, 39L);
      assertThat(queue.publisher().publish(bytes("more"))).isEqualTo(40);
    }
    assertThat(run("verify", restored())).as(out()).isZero();
  }

  @Test
  void shouldLeaveNothingWhereABackupIsDamaged() throws IOException {
    makeQueueWithBackups();
    Path file = files(backups(), "b00000003.cq4.zst").get(0);
    byte[] whole = Files.readAllBytes(file);
    for (int at : new int[] {0, 5, whole.length / 2, whole.length - 1}) {
      flip(file, at);
      assertThat(run("restore", backups(), "--to", restored())).as("byte %s", at).isEqualTo(1);
      assertThat(err()).contains("damaged").contains("b00000003.cq4.zst");
      assertThat(restored()).doesNotExist();
      Files.write(file, whole);
    }
  }

  @Test
  void shouldSayWhichBackupIsMissing() throws IOException {
    makeQueueWithBackups();
    for (Path file : files(backups(), "b00000002\\..*")) {
      Files.delete(file);
    }

    assertThat(run("restore", backups(), "--to", restored())).isEqualTo(1);

    assertThat(out()).contains("lost: sequences 10 to 19").contains("30 messages in 3 blocks");
    assertThat(dumpLines(restored())).isEqualTo(30);
  }

  private long dumpLines(Path from) {
    run("dump", from);
    return out().lines().count();
  }

  @Test
  void shouldFollowNoLink() throws IOException {
    makeQueueWithBackups();
    Path file = files(backups(), "b00000004.cq4.zst").get(0);
    Path elsewhere = directory.resolve("elsewhere.zst");
    Files.move(file, elsewhere);
    Files.createSymbolicLink(file, elsewhere);

    assertThat(run("restore", backups(), "--to", restored())).isZero();
    assertThat(out()).contains("30 messages in 3 blocks");
    assertThat(run("verify", backups())).isEqualTo(1);
  }

  @Test
  void shouldRefuseATargetThatIsThere() throws IOException {
    makeQueueWithBackups();
    Files.createDirectories(restored());
    Files.writeString(restored().resolve("mine"), "x");

    assertThat(run("restore", backups(), "--to", restored())).isEqualTo(2);
    assertThat(err()).contains("is not empty");
    assertThat(restored().resolve("mine")).hasContent("x");
    Path link = directory.resolve("link");
    Files.createSymbolicLink(link, directory.resolve("empty"));
    assertThat(run("restore", backups(), "--to", link)).isEqualTo(2);
    assertThat(run("restore", directory.resolve("data"), "--to", link)).isEqualTo(2);
    Path inside = backups().resolve("x");
    assertThat(run("restore", backups(), "--to", inside)).isEqualTo(2);
    assertThat(err()).contains(inside + " lies in " + backups());
    assertThat(inside).doesNotExist();
  }

  @Test
  void shouldExplainWhatItTakes() {
    makeQueue();
    assertThat(run("restore", own())).isEqualTo(2);
    assertThat(err()).contains("is a queue's own directory", "--to DIR", "salvage");
    assertThat(run("restore", own(), "--to", restored())).isEqualTo(2);
    assertThat(err()).contains("is a queue's own directory");
    assertThat(run("salvage", own())).isEqualTo(2);
    assertThat(err()).contains("missing --to DIR");
  }

  @Test
  void shouldAskWhichQueueWhereThereAreSeveral() throws IOException {
    makeQueueWithBackups();
    Files.move(data(), directory.resolve("gone"));
    makeQueueWithBackups();

    assertThat(run("restore", backups(), "--to", restored())).isEqualTo(2);
    assertThat(err()).contains("backups of several queues").contains("--id");
    String id = err().replaceAll("(?s).*\\[([-0-9a-f]+),.*", "$1");
    assertThat(run("restore", backups(), "--to", restored(), "--id", id)).isZero();
    assertThat(dumpLines(restored())).isEqualTo(40);
  }
}
