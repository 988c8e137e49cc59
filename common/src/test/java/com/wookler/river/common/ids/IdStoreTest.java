package com.wookler.river.common.ids;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdStoreTest {
  private static final Duration WINDOW = Duration.ofSeconds(8);
  private static final long WINDOW_MICROS = 8_000_000;

  @TempDir Path directory;

  private final Set<Long> lost = new HashSet<>();
  private long end = Long.MAX_VALUE;
  private IdStore store;

  private static final IdStore.Owner ORDERS = new IdStore.Owner("orders", new UUID(1, 2));

  private long first;

  private final class Known implements IdStore.Log {
    @Override
    public long firstSequence() {
      return first;
    }

    @Override
    public long nextSequence() {
      return end;
    }

    @Override
    public boolean isLost(long sequence) {
      return lost.contains(sequence);
    }
  }

  private IdStore open(long now) {
    store = IdStore.open(directory, ORDERS, WINDOW, now, new Known());
    return store;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  @Test
  void shouldAgreeWithAModelOverTimeAndRestarts() throws IOException {
    Random random = new Random(7);
    Map<String, IdStore.Original> model = new HashMap<>();
    open(0);
    long now = 1;
    for (int i = 0; i < 30_000; i++) {
      now += random.nextInt(2_000);
      String id = "id " + random.nextInt(5_000);
      IdStore.Original expected = model.get(id);
      boolean inWindow = expected != null && now - expected.micros() < WINDOW_MICROS;
      assertThat(store.find(id, now)).as("%s at %s", id, i).isEqualTo(inWindow ? expected : null);
      if (!inWindow) {
        store.add(id, i, now);
        model.put(id, new IdStore.Original(i, now));
      }
      if (random.nextInt(500) == 0) {
        store.flush(i + 1, now);
        assertThat(store.isDirty(i + 1, now)).isFalse();
      }
      if (random.nextInt(3_000) == 0) {
        store.flush(i + 1, now);
        long covered = store.covered();
        open(now);
        assertThat(store.covered()).isEqualTo(covered);
      }
    }
    store.flush(30_000, now);
    assertThat(files().size()).isLessThan(40);
    assertThat(store.size()).isLessThan(20_000);
  }

  @Test
  void shouldCloseWithTheNextFlushWhatItHasRead() throws IOException {
    open(0);
    store.add("one", 0, 1);
    store.flush(1, 1);
    assertThat(store.find("one", 2)).isEqualTo(new IdStore.Original(0, 1));
    assertThat(store.find("one", 2)).isEqualTo(new IdStore.Original(0, 1));
    assertThat(openFiles()).isEqualTo(1);
    assertThat(store.isDirty(1, 1)).isTrue();
    store.flush(1, 1);
    assertThat(openFiles()).isZero();
    assertThat(store.isDirty(1, 1)).isFalse();
  }

  @Test
  void shouldDropWhatHasLeftTheWindowThoughNoIdComes() throws IOException {
    open(0);
    store.add("one", 0, 1);
    store.flush(1, 1);
    assertThat(store.isDirty(1, WINDOW_MICROS)).isFalse();
    List<Path> old = files();
    long now = WINDOW_MICROS + 1;
    for (; store.isDirty(1, now); now++) {
      store.flush(1, now);
    }
    assertThat(now).isEqualTo(WINDOW_MICROS + 3);
    assertThat(store.size()).isZero();
    assertThat(files()).hasSize(1).doesNotContainAnyElementsOf(old);
    assertThat(store.isDirty(1, 100 * WINDOW_MICROS)).as("again and again").isFalse();
    open(now);
    assertThat(store.fault()).isEmpty();
    assertThat(store.covered()).isEqualTo(1);
    assertThat(store.isDirty(1, 100 * WINDOW_MICROS)).isFalse();
  }

  private long openFiles() throws IOException {
    long open = 0;
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : descriptors.toList()) {
        open += isOfTheStore(each) ? 1 : 0;
      }
    }
    return open;
  }

  private boolean isOfTheStore(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory);
    } catch (NoSuchFileException e) {
      return false; // closed meanwhile, such as the directory that is listed
    }
  }

  @Test
  void shouldForgetWhatIsBeyondTheLogForGood() {
    open(0);
    store.add("kept", 4, 1);
    store.add("lost", 5, 1);
    store.add("never", 6, 1);
    store.flush(7, 1);
    end = 6; // the log lost its end in a power loss
    lost.add(5L);
    open(1);
    assertThat(store.find("kept", 2)).isEqualTo(new IdStore.Original(4, 1));
    assertThat(store.find("lost", 2)).isNull();
    assertThat(store.find("never", 2)).isNull();
    assertThat(store.covered()).isZero();
    end = 100; // its sequence is another message's by now
    open(1);
    assertThat(store.find("kept", 2)).isNotNull();
    assertThat(store.find("never", 2)).isNull();
  }

  @Test
  void shouldCutATornEndAndAskTheLog() throws IOException {
    open(0);
    store.add("one", 0, 1);
    store.flush(1, 1);
    store.add("two", 1, 1);
    store.flush(2, 1);
    Path file = files().get(0);
    byte[] content = Files.readAllBytes(file);
    for (int length = content.length - 1; length > 0; length -= 11) {
      Files.write(file, content);
      try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
        channel.truncate(length);
      }
      open(1);
      assertThat(store.find("one", 2) == null || store.find("one", 2).sequence() == 0).isTrue();
      assertThat(store.covered()).isLessThan(2);
      store.add("three", 2, 2);
      store.flush(3, 2);
      open(2);
      assertThat(store.find("three", 3)).isEqualTo(new IdStore.Original(2, 2));
      for (Path each : files()) {
        Files.delete(each);
      }
    }
  }

  @Test
  void shouldKeepAnIdInMemoryUntilItsFileCanBeMade() throws IOException {
    open(0);
    Files.delete(directory);
    Files.createFile(directory); // so that no file can be made in it
    store.add("one", 0, 1);
    assertThat(store.find("one", 2)).isEqualTo(new IdStore.Original(0, 1));
    assertThatThrownBy(() -> store.flush(1, 1)).isInstanceOf(RiverException.class);
    assertThat(store.isDirty(1, 1)).isTrue();
    Files.delete(directory);
    store.flush(1, 1);
    open(1);
    assertThat(store.find("one", 2)).isEqualTo(new IdStore.Original(0, 1));
    assertThat(store.covered()).isEqualTo(1);
  }

  private static final int HEADER = 52; // bytes of the first file's first record

  @Test
  void shouldAskTheLogAtEveryStartUntilWhatItSaysIsOnTheDevice() throws IOException {
    open(0);
    for (int i = 0; i < 3; i++) {
      store.add("id " + i, i, 1);
    }
    store.flush(3, 1);
    store.add("later", 3, 2_000_000); // in the next file
    store.flush(4, 2_000_000);
    Path first = files().get(0);
    assertThat(files()).hasSize(2);
    byte[] content = Files.readAllBytes(first);
    content[HEADER + 29 + 15] ^= 1; // of the second
    Files.write(first, content);
    for (int start = 0; start < 2; start++) {
      open(2_000_000);
      assertThat(store.covered()).isZero();
      assertThat(store.fault()).isEqualTo(first + " is damaged at byte " + (HEADER + 29));
      assertThat(store.missing()).isEqualTo(1);
      assertThat(store.find("id 0", 2_000_000)).isNotNull();
      assertThat(store.find("id 1", 2_000_000)).isNull();
      assertThat(store.find("id 2", 2_000_000)).isEqualTo(new IdStore.Original(2, 1));
      assertThat(store.find("later", 2_000_000)).isNotNull();
      if (start == 1) {
        store.add("id 1", 1, 1); // as the log said
        store.flush(4, 2_000_000);
      }
    }
    assertThat(first).doesNotExist();
    assertThat(IdFiles.quarantined(directory)).hasSize(1);
    open(2_000_000);
    assertThat(store.fault()).isEmpty();
    assertThat(store.covered()).isEqualTo(4);
    for (int i = 0; i < 3; i++) {
      assertThat(store.find("id " + i, 2_000_000)).isEqualTo(new IdStore.Original(i, 1));
    }
    assertThat(faults()).isEmpty();
  }

  private List<String> faults() throws IOException {
    List<String> faults = new ArrayList<>();
    IdFiles.verify(
        directory,
        ORDERS.identity(),
        false,
        first,
        end,
        (file, what) -> faults.add(file + " " + what));
    return faults;
  }

  private static final int PARTS = 4;
  private static final int IDS = 5; // of a part

  /** A series of files; blocks of all messages but the last have left the log. */
  private void writeSeries() throws IOException {
    first = 0;
    open(0);
    for (int i = 0; i < PARTS * IDS; i++) {
      long now = 1 + i / IDS * 1_500_000L;
      store.add("id " + i, i, now);
      store.flush(i + 1, now);
    }
    assertThat(files()).hasSize(PARTS);
    assertThat(faults()).isEmpty();
    first = PARTS * IDS - 1;
  }

  private interface Damage {
    void to(Path file) throws IOException;
  }

  private void shouldNotice(Damage damage) throws IOException {
    for (int part = 0; part < PARTS; part++) {
      writeSeries();
      Path damaged = files().get(part);
      damage.to(damaged);
      if (part < PARTS - 1) {
        assertThat(faults()).singleElement().asString().startsWith(damaged + " ");
      }
      open(6_000_000);
      if (part < PARTS - 1) {
        assertThat(store.fault()).as("part %s", part).isNotEmpty();
        assertThat(store.covered()).isZero();
      } // else the log has what the newest file lacks, from where the others end
      assertThat(store.covered()).isLessThan(PARTS * IDS);
      for (int i = 0; i < PARTS * IDS; i++) { // what the log and its backups say
        IdStore.Original known = store.find("id " + i, 6_000_000);
        if (known == null) {
          store.add("id " + i, i, 1 + i / IDS * 1_500_000L);
        } else {
          assertThat(known.sequence()).isEqualTo(i);
        }
      }
      store.flush(PARTS * IDS, 6_000_000);
      assertThat(faults()).isEmpty();
      open(6_000_000);
      assertThat(store.fault()).isEmpty();
      assertThat(store.covered()).isGreaterThanOrEqualTo(first);
      for (int i = 0; i < PARTS * IDS; i++) {
        assertThat(store.find("id " + i, 6_000_000)).isNotNull();
      }
      for (Path file : files()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void shouldNoticeAFileThatIsMissing() throws IOException {
    shouldNotice(Files::delete);
  }

  @Test
  void shouldNoticeAFileThatWasEmptied() throws IOException {
    shouldNotice(file -> Files.write(file, new byte[0]));
  }

  @Test
  void shouldNoticeAFileThatLacksItsLastRecords() throws IOException {
    shouldNotice(
        file -> {
          long number = IdHeader.FILES.number(file);
          long[] end = {0};
          new IdScan(
              new RecordFile(IdHeader.FILES, directory, ORDERS.identity(), number, true),
              (record, at) -> {
                end[0] = at; // of the last record, which says how far the files reach
                return true;
              });
          Files.write(file, Arrays.copyOf(Files.readAllBytes(file), (int) end[0]));
        });
  }

  @Test
  void shouldNoticeAFileInTheNameOfAnother() throws IOException {
    writeSeries();
    Files.copy(files().get(0), files().get(1), StandardCopyOption.REPLACE_EXISTING);
    assertThat(faults())
        .containsExactly(files().get(1) + " is file 1 of its series by what it says");
    open(6_000_000);
    assertThat(store.fault()).isEqualTo(faults().get(0));
  }

  @Test
  void shouldGoOnInTheNewestFileAfterARestart() throws IOException {
    for (int i = 0; i < 20; i++) {
      open(1);
      store.add("id " + i, i, 1);
      store.flush(i + 1, 1);
    }
    assertThat(files()).hasSize(1);
    open(1);
    assertThat(store.size()).isEqualTo(20);
  }

  @Test
  void shouldMissNoFileWhoseIdsHaveLeftTheWindow() throws IOException {
    writeSeries();
    open(10_000_000); // the first two are over
    assertThat(store.isDirty(PARTS * IDS, PARTS)).isTrue();
    store.flush(PARTS * IDS, 10_000_000);
    assertThat(files()).hasSize(3);
    assertThat(faults()).isEmpty();
    open(5_000_000); // the clock was set back
    assertThat(store.fault()).isEmpty();
  }

  @Test
  void shouldTakeNothingForAnIdWhateverBitIsFlipped() throws IOException {
    open(0);
    store.add("one", 0, 1);
    store.add("two", 1, 1);
    store.flush(2, 1);
    Path file = files().get(0);
    byte[] content = Files.readAllBytes(file);
    for (int bit = 0; bit < content.length * 8; bit += 5) {
      byte[] flipped = content.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, flipped);
      open(1);
      assertThat(store.covered()).isZero();
      IdStore.Original one = store.find("one", 2);
      assertThat(one == null || one.sequence() == 0).isTrue();
    }
  }

  @Test
  void shouldTellIdsOfOneHashApart() {
    IdTable table = new IdTable();
    for (int place = 1; place <= 5_000; place++) {
      table.add(place % 3, place);
    }
    assertThat(table.find(1, place -> place == 4_000)).isEqualTo(4_000);
    assertThat(table.find(1, place -> place == 4_001)).isZero();
    assertThat(table.find(77, place -> true)).isZero();
    assertThat(table.size()).isEqualTo(5_000);
    open(0);
  }

  /** A run that ends between writing ids and forcing them leaves them to the system. */
  @Test
  void shouldForceWhatAnEarlierRunHasWrittenBeforeItCounts() throws IOException {
    List<String> forced = new ArrayList<>();
    IdStore.Log log = new Known();
    RecordFile.Device refusing =
        channel -> {
          throw new IOException("killed here");
        };
    store = IdStore.open(directory, ORDERS, WINDOW, 0, log, refusing);
    store.add("a", 0, 1);
    assertThatThrownBy(() -> store.flush(1, 1)).isInstanceOf(RiverException.class);
    assertThatThrownBy(() -> IdStore.open(directory, ORDERS, WINDOW, 2, log, refusing))
        .isInstanceOf(RiverException.class)
        .hasRootCauseMessage("killed here");
    store =
        IdStore.open(
            directory, ORDERS, WINDOW, 2, log, channel -> forced.add(channel.size() + " bytes"));
    assertThat(store.find("a", 2)).isEqualTo(new IdStore.Original(0, 1));
    assertThat(forced).containsExactly("78 bytes");
  }
}
