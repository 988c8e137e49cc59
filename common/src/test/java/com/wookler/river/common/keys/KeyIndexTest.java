package com.wookler.river.common.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index alone, over messages in memory. */
@Timeout(120)
class KeyIndexTest {
  private static final UUID QUEUE = new UUID(1, 2);

  @TempDir Path base;

  private final Messages messages = new Messages();
  private final CapturedLog captured = new CapturedLog(KeyRuns.class);
  private Path directory;
  private KeyIndex index;

  /** Stands for the log. */
  private static final class Messages implements KeySource {
    final List<@Nullable String> keys = new ArrayList<>();
    long first;
    long forced;
    long read;
    boolean refuses;

    void publish(@Nullable String key) {
      keys.add(key);
    }

    @Override
    public long end() {
      return keys.size();
    }

    @Override
    public long first() {
      return first;
    }

    @Override
    public long read(long from, long to, Sink sink) {
      if (from < first) {
        return Math.min(to, first);
      }
      long end = Math.min(to, from + 1_000);
      for (long at = from; at < end; at++) {
        String key = keys.get((int) at);
        if (key != null) {
          sink.key(at, key);
        }
      }
      read += end - from;
      return end;
    }

    @Override
    public void force(long end) {
      if (refuses) {
        throw new RiverException("the device refuses");
      }
      forced = Math.max(forced, end);
    }
  }

  @BeforeEach
  void open() {
    directory = base.resolve("keys");
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
  }

  @AfterEach
  void close() {
    index.close();
    captured.close();
  }

  private void reopen() {
    index.close();
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
  }

  private void settle() {
    while (index.index() || index.merge()) {
      // until nothing is left
    }
  }

  private List<Path> files() throws IOException {
    return List.copyOf(RunHeader.FILES.list(directory).values());
  }

  private void flip(Path file, long at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int old = bytes.read();
      bytes.seek(at);
      bytes.write(~old);
    }
  }

  @Test
  void shouldFindTheLastMessageOfAKey() {
    for (String key : new String[] {"a", "b", "a", null, "c", "a", "", "b", "b"}) {
      messages.publish(key);
    }
    assertThat(index.find("a")).isEqualTo(5);
    assertThat(index.find("b")).isEqualTo(8);
    assertThat(index.find("")).isEqualTo(6);
    assertThat(index.find("none")).isEqualTo(KeyIndex.NONE);
    messages.publish("a");
    assertThat(index.find("a")).isEqualTo(9);
  }

  @Test
  void shouldGoOnWhereItWasClosed() {
    messages.publish("a");
    messages.publish("b");
    settle();
    reopen();
    messages.read = 0;
    messages.publish("b");
    assertThat(index.find("a")).isZero();
    assertThat(index.find("b")).isEqualTo(2);
    assertThat(messages.read).isEqualTo(1);
    assertThat(messages.forced).isEqualTo(2);
  }

  @Tag("full")
  @Test
  void shouldIndexAMillionKeysInBoundedMemory() throws IOException {
    for (int i = 0; i < 1_000_000; i++) {
      messages.publish("key " + i);
    }
    settle();
    KeyTable table = new KeyTable();
    for (int i = 0; i < KeyTable.FULL; i++) {
      table.put(i * 0x9E3779B97F4A7C15L, i);
    }
    assertThat(table.isFull()).isTrue(); // and written, so it never grows
    assertThat(index.all()).hasSizeLessThan(8);
    long bytes = 0;
    for (KeyRun run : index.all()) {
      bytes += Files.size(run.file());
    }
    assertThat(bytes).isLessThan(17_000_000);
    Random random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      int key = random.nextInt(1_000_000);
      assertThat(index.find("key " + key)).isEqualTo(key);
      assertThat(index.find("no key " + key)).isEqualTo(KeyIndex.NONE);
    }
    messages.first = 900_000;
    settle();
    bytes = 0;
    for (KeyRun run : index.all()) {
      bytes += Files.size(run.file());
    }
    assertThat(bytes).isLessThan(4_500_000);
    assertThat(index.find("key 950000")).isEqualTo(950_000);
    messages.first = 1_000_000;
    settle();
    assertThat(files()).hasSizeLessThan(2);
  }

  @Test
  void shouldKeepRunsFewWhenItIsReopenedOften() {
    for (int i = 0; i < 40; i++) {
      messages.publish("key " + i % 7);
      settle();
      reopen();
    }
    settle();
    assertThat(index.all()).hasSizeLessThan(4);
    assertThat(index.find("key 3")).isEqualTo(38);
  }

  @Test
  void shouldReadWhatARunCoveredThatIsDamagedAndSayItOnce() throws IOException {
    fill();
    List<Path> all = files();
    for (Path file : all) {
      for (long at = 4_096; at < Files.size(file); at += 4_096) {
        flip(file, at + 100); // each page
      }
    }
    assertThat(KeyIndex.verify(directory, QUEUE, (file, what) -> {})).isEqualTo(all.size());
    long damaged = all.size();
    for (int i = 0; i < 100_000; i += 777) {
      assertThat(index.find("key " + i)).isEqualTo(100_000 + i);
    }
    assertThat(captured.warnings()).hasSize((int) damaged);
    assertThat(captured.warnings()).allMatch(line -> line.contains("is not what was written"));
    settle();
    List<String> found = new ArrayList<>();
    KeyIndex.verify(directory, QUEUE, (file, what) -> found.add(what));
    assertThat(found).isEmpty();
  }

  private void fill() {
    for (int i = 0; i < 200_000; i++) {
      messages.publish("key " + i % 100_000);
    }
    settle();
    reopen();
    settle();
  }

  @ParameterizedTest
  @ValueSource(strings = {"header", "cut", "empty", "name"})
  void shouldSetAsideAtTheOpeningWhatIsNoRun(String how) throws IOException {
    fill();
    index.close();
    Path file = files().get(0);
    switch (how) {
      case "header" -> flip(file, 45);
      case "cut" -> {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
          bytes.setLength(Files.size(file) - 4_096);
        }
      }
      case "empty" -> Files.write(file, new byte[0]);
      default -> Files.move(file, RunHeader.FILES.path(directory, 77));
    }
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
    assertThat(index.find("key 5")).isEqualTo(100_005);
    assertThat(index.find("key 99999")).isEqualTo(199_999);
    assertThat(captured.warnings()).hasSize(1);
  }

  @Test
  void shouldSayThatARunIsMissing() throws IOException {
    fill();
    messages.publish("more");
    index.find("more");
    index.close();
    assertThat(files()).hasSizeGreaterThan(1);
    Files.delete(files().get(0));
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
    assertThat(index.find("key 5")).isEqualTo(100_005);
    assertThat(index.find("more")).isEqualTo(200_000);
    assertThat(captured.warnings()).singleElement().asString().contains("lacks sequences 0 to");
  }

  @Test
  void shouldNotTakeTheRunsOfAnotherQueueOrOfALongerLog() {
    fill();
    index.close();
    index = KeyIndex.open(directory, "orders", new UUID(3, 4), messages);
    assertThat(index.find("key 5")).isEqualTo(100_005);
    assertThat(captured.warnings()).isNotEmpty().allMatch(line -> line.contains("another queue"));
    index.close();
    captured.clear();
    messages.keys.subList(150_000, 200_000).clear();
    index = KeyIndex.open(directory, "orders", new UUID(3, 4), messages);
    assertThat(index.find("key 49999")).isEqualTo(149_999);
    assertThat(index.find("key 50000")).isEqualTo(50_000);
    assertThat(captured.warnings())
        .isNotEmpty()
        .allMatch(line -> line.contains("which the log has not"));
  }

  @Test
  void shouldTryAgainWhatCannotBeForced() {
    for (int i = 0; i < 70_000; i++) {
      messages.publish("key " + i);
    }
    messages.refuses = true;
    assertThatThrownBy(() -> index.find("key 1")).isInstanceOf(RiverException.class);
    assertThat(index.all()).isEmpty();
    messages.refuses = false;
    assertThat(index.find("key 69999")).isEqualTo(69_999);
    assertThat(messages.forced).isGreaterThanOrEqualTo(65_536);
  }

  @Test
  void shouldLeaveNothingOfAMergeThatACrashCutShort() throws IOException {
    fill();
    index.close();
    Path copy = base.resolve("before");
    copy(directory, copy);
    messages.publish("new");
    for (int i = 0; i < 100_000; i++) {
      messages.publish("other " + i);
    }
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
    settle();
    index.close();
    copy(copy, directory); // those that were merged are there again
    Files.write(directory.resolve("keys-000000000099.tmp"), new byte[10]);
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
    assertThat(index.find("key 5")).isEqualTo(100_005);
    assertThat(index.find("new")).isEqualTo(200_000);
    assertThat(captured.warnings()).isEmpty();
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).hasSameSizeAs(index.all());
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.list(from)) {
      for (Path file : all.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (!Files.exists(target)) {
          Files.copy(file, target);
        }
      }
    }
  }

  /** Publish, ask, index, merge, prune, close, kill, damage; in any order. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldAgreeWithAModelWhateverHappens(long seed) throws IOException {
    Random random = new Random(seed);
    Map<String, Long> model = new HashMap<>();
    int keys = random.nextBoolean() ? 50 : 300_000;
    for (int step = 0; step < 120; step++) {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> publish(random, keys, model);
        case 4 -> index.index();
        case 5 -> settle();
        case 6 -> messages.first += random.nextLong(messages.end() - messages.first + 1) / 3;
        case 7 -> reopen();
        case 8 -> kill();
        case 9 -> damageOne(random);
        case 10 -> index.merge();
        default -> ask(random, keys, model);
      }
    }
    settle();
    for (int i = 0; i < 300; i++) {
      ask(random, keys, model);
    }
  }

  private void publish(Random random, int keys, Map<String, Long> model) {
    for (int i = random.nextInt(20_000); i > 0; i--) {
      String key = random.nextInt(10) == 0 ? null : "key " + random.nextInt(keys);
      if (key != null) {
        model.put(key, messages.end());
      }
      messages.publish(key);
    }
  }

  /** The files as they are, without what is in memory. */
  private void kill() throws IOException {
    Path copy = base.resolve("keys " + System.nanoTime());
    copy(directory, copy);
    index.close();
    directory = copy;
    index = KeyIndex.open(directory, "orders", QUEUE, messages);
  }

  private void damageOne(Random random) throws IOException {
    List<Path> all = files();
    if (!all.isEmpty()) {
      Path file = all.get(random.nextInt(all.size()));
      if (random.nextInt(3) == 0) {
        index.close();
        Files.delete(file);
        index = KeyIndex.open(directory, "orders", QUEUE, messages);
      } else {
        flip(file, random.nextLong(Files.size(file)));
      }
    }
  }

  private void ask(Random random, int keys, Map<String, Long> model) {
    String key = "key " + random.nextInt(keys);
    long expected = model.getOrDefault(key, KeyIndex.NONE);
    long found = index.find(key);
    if (expected >= messages.first) {
      assertThat(found).as(key).isEqualTo(expected);
    } else {
      assertThat(found).as(key).isLessThan(messages.first);
    }
  }
}
