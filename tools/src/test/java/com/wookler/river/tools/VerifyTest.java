package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Origins;
import com.wookler.river.forward.ForwardPosition;
import com.wookler.river.forward.Redrive;
import com.wookler.river.forward.Redrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What verify says of what is sound, and of what a closed queue may have of each kind of file. */
class VerifyTest extends ToolsFixture {
  @Test
  void shouldFindASoundQueueSoundAndTouchNothing() {
    makeQueue();
    Map<Path, String> before = content(data());

    assertThat(run("verify", own())).as(out()).isZero();

    assertThat(out()).contains("7 blocks, 60 messages proven, 2 subscribers: sound");
    assertThat(out()).doesNotContain("damaged", "note");
    assertThat(content(data())).isEqualTo(before);
  }

  @Test
  void shouldFindSoundBackupsSoundAndTouchNothing() {
    makeQueueWithBackups();
    Map<Path, String> before = content(backups());

    assertThat(run("verify", backups())).as(out()).isZero();

    assertThat(out()).contains("4 blocks, 40 messages proven, 0 subscribers: sound");
    assertThat(run("verify", own())).as(out()).isZero();
    assertThat(run("verify", own(), "--backup", backups().resolve("x"))).isEqualTo(2);
    assertThat(err()).contains("is not a directory");
    assertThat(content(backups())).isEqualTo(before);
  }

  @Test
  void shouldRefuseWhatIsNoQueue() throws IOException {
    assertThat(run("verify", directory.resolve("nowhere"))).isEqualTo(2);
    assertThat(err()).contains("nowhere");
    assertThat(run("verify")).isEqualTo(2);
    assertThat(run("inspect", directory)).isEqualTo(2);
    assertThat(run("dump", directory)).isEqualTo(2);
    assertThat(err()).contains("neither a queue nor backups");
  }

  @Test
  void shouldSayWhichQueuesAreBelow() throws IOException {
    makeQueueWithBackups();
    Files.createDirectories(directory.resolve("empty"));
    for (String command : List.of("verify", "dump", "inspect")) {
      assertThat(run(command, directory.resolve("empty"))).as(command).isEqualTo(2);
      assertThat(err())
          .endsWith("empty holds neither a queue nor backups" + System.lineSeparator());
      assertThat(run(command, data())).as(command).isEqualTo(2);
      assertThat(err())
          .contains("neither a queue nor backups; below it are queues orders; name one of them");
      assertThat(run(command, backups().getParent())).as(command).isEqualTo(2);
      assertThat(err())
          .contains("neither a queue nor backups; below it are backups of orders; name one");
      assertThat(out()).isEmpty();
    }
    assertThat(run("verify", "--json", data())).isEqualTo(2);
    assertThat(run("inspect", backups())).isEqualTo(2);
    assertThat(err()).contains("orders holds backups, and no queue");
  }

  @Test
  void shouldNameNoMoreQueuesThanALineTakes() throws IOException {
    for (int i = 10; i < 22; i++) {
      Files.createDirectories(data().resolve("q" + i))
          .resolve("queue.json")
          .toFile()
          .createNewFile();
    }

    assertThat(run("verify", data())).isEqualTo(2);

    assertThat(err()).contains("queues q10, q11, q12, ").contains("q19 and 2 more; name one");
  }

  @Test
  void shouldNameAFileThatTheNextOpeningQuarantines() throws IOException {
    makeQueue();
    Path file = Files.writeString(own().resolve("log/b00000004 (copy).cq4"), "x");

    assertThat(run("verify", own())).isZero();

    assertThat(out())
        .contains("note: " + file + ": is not named like a block; the next opening quarantines");
    builder(data()).open().close();
    assertThat(run("verify", own())).isZero();
    assertThat(out()).contains("(copy).cq4.damaged: was quarantined as damaged before");
  }

  @Test
  void shouldFindAQueueDamagedOfWhichLogAndIdentityAreGone() throws IOException {
    makeQueue();
    Files.delete(own().resolve("queue.json"));
    for (Path file : files(own().resolve("log"), ".*")) {
      Files.delete(file);
    }
    Files.delete(own().resolve("log"));

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out())
        .contains("damaged: " + own().resolve("queue.json") + ": it is missing")
        .contains("damaged: " + own().resolve("log") + ": it is missing")
        .contains("subscribers/billing: was given messages up to sequence ")
        .contains("4 damaged");
    assertThat(run("inspect", own())).isZero(); // says what it can
  }

  @Test
  void shouldFindBackupsDamagedOfWhichNoSealIsWhole() throws IOException {
    makeQueueWithBackups();
    for (Path seal : files(backups(), ".*seal")) {
      flip(seal, 40);
    }

    assertThat(run("verify", backups())).isEqualTo(1);
  }

  @Test
  void shouldNameTheMessageThatIsDamaged() throws IOException {
    makeQueue();
    Path block = files(own(), "b00000003.cq4").get(0);
    long at = find(block, "message 28");
    flip(block, at);

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out())
        .contains("damaged: " + block + ", block 3, sequence 28, byte ")
        .contains("the checksum of sequence 28 is wrong")
        .contains("59 messages proven")
        .contains("1 damaged");
  }

  @Test
  void shouldMissTheOldestBlock() throws IOException {
    makeQueueWithBackups();
    Files.delete(files(own(), "b00000005.cq4").get(0));
    Files.delete(files(own(), "b00000005.seal").get(0));

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out()).contains("sequences 40 to 49 are missing");
  }

  @Test
  void shouldAnswerInJson() throws IOException {
    makeQueue();
    flip(files(own(), "b00000003.seal").get(0), 50);

    assertThat(run("verify", "--json", own())).isEqualTo(1);

    JsonNode answer = JsonOutput.MAPPER.readTree(out());
    assertThat(answer.path("messages").asInt()).isEqualTo(60);
    assertThat(answer.path("sound").asBoolean()).isFalse();
    JsonNode finding = answer.path("findings").path(0);
    assertThat(finding.path("severity").asText()).isEqualTo("DAMAGE");
    assertThat(finding.path("file").asText()).endsWith("b00000003.seal");
    assertThat(finding.path("block").asInt()).isEqualTo(3);
  }

  @Test
  void shouldFindAFlipInEachKindOfFile() throws IOException {
    makeQueueWithBackups();
    for (String kind :
        List.of(
            "b00000005.seal",
            "marks",
            "ack-\\d+.snap",
            "ack-\\d+.log",
            "cursor",
            "subscriber.json",
            "keys-\\d+",
            "queue.json")) {
      for (Path file : files(own(), kind)) {
        assertFlipsAreFound(file, own(), kind.equals("ack-\\d+.log") ? 40 : Files.size(file));
      }
    }
    assertFlipsAreFound(files(backups(), "b00000002.seal").get(0), backups(), Long.MAX_VALUE);
    assertFlipsAreFound(files(backups(), "b00000002.cq4.zst").get(0), backups(), Long.MAX_VALUE);
  }

  @Test
  void shouldFindAFlipInWhatForwardingKeeps() throws IOException {
    makeQueueWithBackups();
    UUID id = QueueIdentity.read(own().resolve("queue.json")).id();
    new ForwardPosition(50, true, Map.of("forward.filter", "key == null"))
        .write(own().resolve("forwards"), id, "audit");
    Path origins = own().resolve(Origins.FILE);
    new Origins(60, Map.of(UUID.randomUUID(), 7L), Map.of()).write(origins, id);
    assertFlipsAreFound(origins, own(), Long.MAX_VALUE);
    Path position = ForwardPosition.file(own().resolve("forwards"), "audit");
    assertFlipsAreFound(position, own(), Long.MAX_VALUE);
  }

  @Test
  void shouldFindDamageToRedrivesAndContinuations() throws IOException {
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      Subscriber<byte[]> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      queue.publisher().publish(bytes("a"));
      queue.publisher().publish(bytes("b"));
      billing.next().ackAndPublish(queue, List.of(Message.of(bytes("c"))));
      billing.next().reject("no");
      Redrives.of(queue).start(Redrive.of("billing"));
      await().until(() -> Redrives.of(queue).list().get(0).state().isOver());
    }
    assertThat(run("verify", own())).as(out()).isZero();
    Path redrive = files(own().resolve("redrives"), ".*json").get(0);
    assertFlipsAreFound(redrive, own(), Long.MAX_VALUE);
    assertFlipsAreFound(files(own(), "continues.json").get(0), own(), Long.MAX_VALUE);
  }

  @Test
  void shouldFindDamageToIdsAndToTheRecordOfDamage() throws IOException {
    try (MessageQueue<byte[]> queue = builder(data()).deduplicate(Duration.ofDays(1)).open()) {
      for (int i = 0; i < 9; i++) {
        queue.publisher().publish(message(i).withId("id" + i));
      }
      queue.force();
    }
    assertFlipsAreFound(files(own().resolve("ids"), "ids-000000000001").get(0), own(), 80);
    Files.writeString(own().resolve("damage.log"), "{\"half\n");
    assertThat(run("verify", own())).isEqualTo(1);
    assertThat(out()).contains("damage.log: lines [1] are torn or damaged");
  }

  @Test
  void shouldProveAsManyAsSalvageSaves() throws IOException {
    makeQueue();
    Path second = files(own(), "b00000002.cq4").get(0);
    flip(second, find(second, "message 18")); // one of a batch of three
    assertThat(run("verify", own())).isEqualTo(1);
    assertThat(out()).contains(" 59 messages proven");
    assertThat(run("salvage", own(), "--to", directory.resolve("saved"))).isEqualTo(1);
    assertThat(out()).contains("59 messages in ").contains("1 message lost");
  }

  /** Eight places up to an offset, at most so much of the file as proves itself. */
  private void assertFlipsAreFound(Path file, Path verified, long upTo) throws IOException {
    byte[] whole = Files.readAllBytes(file);
    int length = (int) Math.min(whole.length, upTo);
    if (file.getFileName().toString().matches("cursor|marks")) {
      length = file.endsWith("cursor") ? 20 : 36; // behind it all is there twice, or zero
    }
    for (int i = 0; i < 8; i++) {
      int at = (int) ((long) length * i / 8);
      if (Character.isWhitespace(whole[at]) && file.toString().endsWith(".json")) {
        at++; // between the words of JSON a flip may say the same
      }
      flip(file, at);
      assertThat(run("verify", verified)).as("%s, byte %s: %s", file, at, out()).isEqualTo(1);
      assertThat(out()).contains(stem(file));
      Files.write(file, whole);
    }
    assertThat(run("verify", verified)).as(out()).isZero();
  }

  private static String stem(Path file) {
    return file.getFileName().toString().replaceAll("(b\\d+).*", "$1"); // a backup or its seal
  }

  @Test
  void shouldFindAFlipInEveryDocumentOfABlock() throws IOException {
    makeQueue();
    Path block = files(own(), "b00000002.cq4").get(0);
    byte[] whole = Files.readAllBytes(block);
    for (int sequence = 10; sequence < 20; sequence += 2) {
      int text = (int) find(block, "message " + sequence);
      for (int at : new int[] {text, text - 4, text - 8, text - 20}) {
        flip(block, at);
        assertThat(run("verify", own())).as("byte %s", at).isEqualTo(1);
        assertThat(out()).contains("b00000002.cq4, block 2");
        Files.write(block, whole);
      }
    }
  }

  @Test
  void shouldFindWhatIsMissing() throws IOException {
    makeQueue();
    for (String kind :
        List.of(
            "b00000003.cq4", "b00000001.cq4", "marks", "queue.json", "subscriber.json", "cursor")) {
      Path file = files(own(), kind).get(kind.equals("cursor") ? 1 : 0); // billing's
      byte[] whole = Files.readAllBytes(file);
      Files.delete(file);
      assertThat(run("verify", own())).as(kind + out()).isEqualTo(1);
      Files.write(file, whole);
    }
  }

  @Test
  void shouldFindABackupThatIsMissing() throws IOException {
    makeQueueWithBackups();
    for (String kind : List.of("b00000002.cq4.zst", "b00000002.seal")) {
      Path file = files(backups(), kind).get(0);
      byte[] whole = Files.readAllBytes(file);
      Files.delete(file);
      assertThat(run("verify", backups())).as(kind + out()).isEqualTo(1);
      Files.write(file, whole);
    }
  }

  @Test
  void shouldFindWhatIsTruncatedOrSwapped() throws IOException {
    makeQueueWithBackups();
    assertTruncationsAreFound(own(), "b00000005.cq4|b00000005.seal|.*snap|ack-\\d+.log|.*json");
    assertTruncationsAreFound(backups(), "b00000002.cq4.zst|b00000002.seal");
    assertSwapIsFound(own(), files(own(), "b0000000[56].cq4"));
    assertSwapIsFound(own(), files(own(), "subscriber.json"));
    assertSwapIsFound(backups(), files(backups(), "b0000000[12].cq4.zst"));
    assertSwapIsFound(backups(), files(backups(), "b0000000[12].seal"));
  }

  private void assertTruncationsAreFound(Path verified, String kind) throws IOException {
    for (Path file : files(verified, kind)) {
      byte[] whole = Files.readAllBytes(file);
      long text = find(file, "message 4"); // of a block: its file is longer than its content
      Files.write(file, Arrays.copyOf(whole, text > 0 ? (int) text : whole.length / 2));
      assertThat(run("verify", verified)).as("%s %s", file, out()).isEqualTo(1);
      Files.write(file, whole);
    }
  }

  private void assertSwapIsFound(Path verified, List<Path> files) throws IOException {
    byte[] first = Files.readAllBytes(files.get(0));
    byte[] second = Files.readAllBytes(files.get(1));
    Files.write(files.get(0), second);
    Files.write(files.get(1), first);
    assertThat(run("verify", verified)).as("%s %s", files, out()).isEqualTo(1);
    Files.write(files.get(0), first);
    Files.write(files.get(1), second);
    assertThat(run("verify", verified)).as(out()).isZero();
  }

  @Test
  void shouldFindAHoleAndWhatIsWholeBehindIt() throws IOException {
    makeQueue();
    Path block = files(own(), "b00000002.cq4").get(0);
    byte[] bytes = Files.readAllBytes(block);
    int from = (int) find(block, "message 14") - 64;
    for (int i = from; i < from + 96; i++) {
      bytes[i] = 0;
    }
    Files.write(block, bytes);

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out()).contains("a hole; sequences 17 to 19 are whole after it");
  }

  @Test
  void shouldFindABlockOfAnotherQueue() throws IOException {
    makeQueue();
    Path other = directory.resolve("other");
    try (MessageQueue<byte[]> queue = builder(other).open()) {
      publish(queue);
    }
    Files.copy(
        files(other, "b00000002.cq4").get(0),
        files(own(), "b00000002.cq4").get(0),
        StandardCopyOption.REPLACE_EXISTING);

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out()).contains("is a block of the queue ");
  }

  @Test
  void shouldFindALogThatEndsBeforeItsSubscribers() throws IOException {
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      queue.subscriber(SubscriberConfig.builder("audit").build());
      publish(queue);
      for (int i = 0; i < MESSAGES; i++) {
        queue.subscriber("audit").next();
      }
      queue.force();
    }
    for (Path file : files(own(), "b0000000[67]\\..*")) {
      Files.delete(file);
    }

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out()).contains("audit: was given messages up to sequence 59, but ");
  }

  @Test
  void shouldFindALogThatBeginsBehindItsSubscribers() throws IOException {
    makeQueue();
    Files.delete(files(own(), "b00000001.cq4").get(0));
    Files.delete(files(own(), "b00000001.seal").get(0));

    assertThat(run("verify", own())).isEqualTo(1);

    assertThat(out())
        .contains("billing: its low watermark is 0, but what can be read begins at 10");
  }
}
