package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SalvageTest extends ToolsFixture {
  private Path saved() {
    return directory.resolve("saved").resolve("orders");
  }

  private String dump(Path from) {
    run("dump", from);
    return out();
  }

  @Test
  void shouldCopyASoundQueueWhole() {
    makeQueue();
    Map<Path, String> before = content(data());
    String messages = dump(own());

    assertThat(run("salvage", own(), "--to", saved())).as(err()).isZero();

    assertThat(out()).contains("60 messages", "2 subscribers; 0 messages lost");
    assertThat(dump(saved())).isEqualTo(messages);
    assertThat(run("verify", saved())).as(out()).isZero();
    assertThat(content(data())).isEqualTo(before);
    try (MessageQueue<byte[]> queue = builder(directory.resolve("saved")).open()) {
      assertThat(queue.stats().nextSequence()).isEqualTo(60);
      assertThat(queue.subscriber("billing").stats().ackFloor()).isZero();
      assertThat(queue.subscriber("billing").next().attempt()).isEqualTo(2);
      assertThat(queue.subscriber("audit").next().sequence()).isEqualTo(8);
      assertThat(queue.publisher().publish(bytes("more"))).isEqualTo(60);
      assertThat(queue.read(15, 2)).extracting(Delivery::key).containsExactly("key 15", null);
    }
  }

  @Test
  void shouldCopyAMessageThatIsMostOfItsBlock() {
    try (MessageQueue<byte[]> queue =
        builder(data()).maxMessageBytes(40 << 20).recycle(SizeBasedRecycle.ofMessages(1)).open()) {
      queue.subscriber("keeper");
      queue.publisher().publish(new byte[30 << 20]);
      queue.publisher().publish(bytes("next"));
    }
    assertThat(run("salvage", own(), "--to", saved())).as(err()).isZero();
    try (MessageQueue<byte[]> queue = builder(directory.resolve("saved")).open()) {
      assertThat(queue.read(0).orElseThrow().data()).hasSize(30 << 20);
      assertThat(queue.read(1).orElseThrow().data()).isEqualTo(bytes("next"));
    }
  }

  @Test
  void shouldCopyWhatIsWholeAndSayWhatIsLost() throws IOException {
    makeQueue();
    Path second = files(own(), "b00000002.cq4").get(0);
    flip(second, find(second, "message 18"));
    Files.delete(files(own(), "b00000004.cq4").get(0));
    Path fifth = files(own(), "b00000005.cq4").get(0);
    byte[] hole = Files.readAllBytes(fifth);
    int from = (int) find(fifth, "message 42") - 64;
    for (int i = from; i < from + 80; i++) {
      hole[i] = 0;
    }
    Files.write(fifth, hole);
    Files.delete(own().resolve("queue.json"));

    assertThat(run("salvage", own(), "--to", saved())).as(err()).isEqualTo(1);

    assertThat(out())
        .contains("lost: sequences 18 to 18 (damaged: " + second)
        .contains("lost: sequences 30 to 39 (damaged: ")
        .contains("its data file is missing")
        .contains("lost: sequences 41 to 43 (damaged: " + fifth);
    assertThat(out()).contains("46 messages in 4 blocks").contains("14 messages lost");
    assertThat(run("verify", saved())).as(out()).isZero();
    assertThat(out()).contains("note: ").contains("sequences 30 to 39 are known to be lost");
    try (MessageQueue<byte[]> queue = builder(directory.resolve("saved")).open()) {
      assertThat(queue.read(16, 2)).extracting(Delivery::sequence).containsExactly(16L, 17L);
      assertThat(queue.read(19, 2)).extracting(Delivery::sequence).containsExactly(19L, 20L);
      assertThat(queue.read(44, 99)).hasSize(16);
      assertThat(queue.publisher().publish(bytes("more"))).isEqualTo(60);
    }
  }

  @Test
  void shouldCopyAndVerifyDeadLetters() throws IOException {
    makeQueue();
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      queue.subscriber("billing").next().reject("no use");
      await().until(() -> queue.subscriber("billing").deadLetters().size() == 1);
    }
    assertThat(run("verify", own())).as(out()).isZero();
    assertThat(out()).contains("61 messages proven");

    assertThat(run("salvage", own(), "--to", saved())).as(err()).isZero();

    try (MessageQueue<byte[]> queue = builder(directory.resolve("saved")).open()) {
      assertThat(queue.subscriber("billing").deadLetters().size()).isOne();
    }
    Path letters = files(own().resolve("subscribers"), "b00000001.cq4").get(0);
    flip(letters, find(letters, "message 0"));
    assertThat(run("verify", own())).isEqualTo(1);
    assertThat(out()).contains(letters.toString());
  }

  @Test
  void shouldTakeWhatWasSetAsideBefore() throws IOException {
    makeQueue();
    Path second = files(own(), "b00000002.cq4").get(0);
    Files.move(second, second.resolveSibling("b00000002.cq4.damaged"));

    assertThat(run("salvage", own(), "--to", saved())).as(out()).isZero();

    assertThat(dump(saved()).lines()).hasSize(60);
  }

  @Test
  void shouldSalvageBackups() throws IOException {
    makeQueueWithBackups();
    String all = dump(backups());
    Path file = files(backups(), "b00000002.cq4.zst").get(0);
    flip(file, Files.size(file) / 2);

    assertThat(run("salvage", backups(), "--to", saved())).isEqualTo(1);

    assertThat(out()).contains("lost: sequences 1").contains("b00000002.cq4.zst");
    List<String> saved = new ArrayList<>(dump(saved()).lines().toList());
    assertThat(all.lines().toList()).containsAll(saved);
    assertThat(saved).hasSizeGreaterThanOrEqualTo(30);
  }

  @Test
  void shouldRefuseATargetThatIsNotEmpty() throws IOException {
    makeQueue();
    Files.createDirectories(saved());
    Files.writeString(saved().resolve("mine"), "x");

    assertThat(run("salvage", own(), "--to", saved())).isEqualTo(2);
    assertThat(err()).contains("is not empty");
    assertThat(run("salvage", own(), "--to", own().resolve("inside"))).isEqualTo(2);
    assertThat(own().resolve("inside")).doesNotExist();
    Path link = Files.createSymbolicLink(directory.resolve("link"), own());
    assertThat(run("salvage", own(), "--to", link.resolve("inside"))).isEqualTo(2);
    assertThat(err()).contains("lies in " + own());
    assertThat(run("salvage", own(), "--to", directory.resolve("orders.Dead"))).isEqualTo(2);
    assertThat(err()).contains("'orders.Dead' is reserved");
    assertThat(run("salvage", own(), "--to", directory.resolve("x.discarded-1"))).isEqualTo(2);
    assertThat(saved().resolve("mine")).hasContent("x");
    assertThat(run("salvage", own(), "--to", directory.resolve("a b"))).isEqualTo(2);
  }
}
