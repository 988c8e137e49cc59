package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.testing.Aside;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reading in order and at random, and everything that damaged bytes must never do. */
@Timeout(120)
class LogReaderTest {
  private static final int DELAY = 16; // the flag of a delayed message

  @TempDir Path directory;

  private LogFixture log;

  @BeforeEach
  void make() {
    log = new LogFixture(directory);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private static void shouldRead(LogReader reader, long from, long to) {
    for (long sequence = from; sequence < to; sequence++) {
      StoredMessage message = reader.next();
      assertThat(message).as("sequence %s", sequence).isNotNull();
      assertThat(message.sequence()).isEqualTo(sequence);
      assertThat(text(message)).isEqualTo("m" + sequence);
    }
  }

  /** The damage must be told at each call, and never pass for the end or be stepped over. */
  private static void shouldMeetDamage(LogReader reader, long sequence, int block) {
    for (int call = 0; call < 3; call++) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining("queue orders")
          .hasMessageContaining("block " + block + " ")
          .hasMessageContaining("sequence " + sequence + ":")
          .hasMessageContaining("damaged");
    }
    assertThat(reader.position()).isEqualTo(sequence);
  }

  @Test
  void shouldNeedNoFlagsForTheJvm() {
    assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .noneMatch(argument -> argument.startsWith("--add-"));
    log.open();
    shouldRead(log.publish(3).reader(), 0, 3);
  }

  @Test
  void shouldReadTheSameMessageAfterAnErrorWithinABatch() {
    log.open();
    LogReader reader = log.batch(5).reader();
    shouldRead(reader, 0, 2);
    assertThatThrownBy(
            () ->
                reader.next(
                    (sequence, micros, data, key, headers, terms) -> {
                      throw new OutOfMemoryError("made by the test");
                    }))
        .isInstanceOf(OutOfMemoryError.class);
    shouldRead(reader, 2, 5);
  }

  @Test
  void shouldReadOnAsTheLogGrowsAcrossBlocks() {
    log.recycleAt(5).open();
    LogReader reader = log.reader();
    for (long sequence = 0; sequence < 42; sequence += 3) {
      assertThat(reader.next()).isNull();
      log.publish(1).batch(2);
      shouldRead(reader, sequence, sequence + 3);
    }
    assertThat(reader.next()).isNull();
  }

  /** One page of the index covers 65,536 documents; where it has no entry the headers lead on. */
  @Test
  void shouldFindMessagesByAllPagesOfTheIndexAndWithoutTheirEntries() throws IOException {
    int end = 70_000;
    log.open();
    log.publish(end);
    long[] sequences = {1, 15, 16, 17, 40_000, 65_535, 65_536, 65_537, end - 1};
    for (long sequence : sequences) {
      shouldReadFrom(sequence);
    }
    byte[] none = new byte[ChronicleHeader.ENTRIES * Long.BYTES];
    LogFixture.write(log.block(1), ChronicleHeader.entriesOf(ChronicleHeader.INDEX), none);
    for (long sequence : sequences) {
      shouldReadFrom(sequence);
    }
    LogFixture.write(log.block(1), ChronicleHeader.INDEX2INDEX + Long.BYTES, new byte[Long.BYTES]);
    shouldReadFrom(end - 1);
  }

  private void shouldReadFrom(long sequence) {
    try (LogReader reader = log.reader()) {
      reader.moveTo(sequence);
      shouldRead(reader, sequence, sequence + 1);
    }
  }

  /** However the two threads meet: a batch that begins to be readable is so to its end. */
  @Test
  void shouldNeverSeePartOfABatchThatIsBeingPublished() {
    int size = 7;
    int batches = 20_000;
    BlockLog opened = log.recycleAt(size * 1_000L).open();
    LogReader reader = log.reader();
    CompletableFuture<Void> publishing =
        Aside.run(
            () -> {
              for (int i = 0; i < batches; i++) {
                log.batch(size);
              }
            });
    while (reader.position() < (long) size * batches && !publishing.isCompletedExceptionally()) {
      long end = opened.nextSequence();
      assertThat(end % size).as("what counts as published").isZero();
      StoredMessage first = reader.next();
      if (first == null) {
        continue;
      }
      assertThat(first.sequence() % size).isZero();
      for (int i = 1; i < size; i++) {
        StoredMessage next = reader.next();
        assertThat(next).as("message %s of the batch of %s", i, first.sequence()).isNotNull();
        assertThat(reader.isWithinBatch() || i == size - 1).isTrue();
      }
    }
    publishing.join();
    assertThat(reader.position()).isEqualTo((long) size * batches);
  }

  @Test
  void shouldReadFromAnySequence() {
    log.recycleAt(20).open();
    Random random = new Random(42);
    long end = 0;
    while (end < 300) {
      int count = random.nextInt(10) < 7 ? 1 : 1 + random.nextInt(9);
      log.batch(count);
      end += count;
    }
    LogReader reader = log.reader();
    for (int i = 0; i < 200; i++) {
      long from = random.nextInt((int) end + 1);
      reader.moveTo(from);
      shouldRead(reader, from, Math.min(end, from + random.nextInt(30)));
    }
    reader.moveTo(end);
    assertThat(reader.next()).isNull();
  }

  @Test
  void shouldReadAgainByLocation() {
    log.recycleAt(20).open();
    log.publish(15).batch(10).publish(15);
    LogReader reader = log.reader();
    long[] locations = new long[40];
    for (int i = 0; i < 40; i++) {
      reader.next();
      locations[i] = reader.location();
    }
    LogReader again = log.reader();
    for (int i = 39; i >= 0; i--) {
      assertThat(text(again.read(i, locations[i]))).isEqualTo("m" + i);
    }
    for (int i = 0; i < 40; i += 3) {
      assertThat(text(again.read(i, locations[i]))).isEqualTo("m" + i);
    }
    assertThatThrownBy(() -> again.read(3, locations[30]))
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("sequence 3:");
  }

  @Test
  void shouldFindMessagesByTime() {
    log.recycleAt(5).open();
    long start = log.time().epochMicros();
    for (int i = 0; i < 12; i++) {
      log.publish(1);
      log.time().advance(Duration.ofSeconds(1));
    }
    log.reopen();
    LogReader lookup = log.reader();
    for (int i = 0; i < 12; i++) {
      assertThat(lookup.sequenceAt(start + i * 1_000_000L)).hasValue(i);
      assertThat(lookup.sequenceAt(start + i * 1_000_000L - 1)).hasValue(i);
    }
    assertThat(lookup.sequenceAt(start + 11_000_001L)).isEmpty();
  }

  @Test
  void shouldGoOnAfterLeavingABlock() throws IOException {
    BlockLog opened = log.recycleAt(5).open();
    log.publish(12);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 5);
    opened.force();
    Seal seal = opened.oldestSealed().orElseThrow();
    opened.forget(seal);
    reader.leave(seal.block());
    opened.delete(seal);
    shouldRead(reader, 5, 12);
    assertThatThrownBy(
            () -> {
              reader.moveTo(2);
              reader.next();
            })
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("sequence 2:");
    reader.moveTo(8);
    shouldRead(reader, 8, 12);
  }

  @Test
  void shouldReportAFlippedByteAtEachCall() throws IOException {
    log.recycleAt(10).open();
    log.publish(25);
    long offset = log.offsets(2).get(3);
    LogFixture.flip(log.block(2), offset + 4 + 32 + 9, 0x10);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 13);
    shouldMeetDamage(reader, 13, 2);
    reader.moveTo(14);
    shouldRead(reader, 14, 25);
    reader.moveTo(12);
    shouldRead(reader, 12, 13);
    shouldMeetDamage(reader, 13, 2);
  }

  @Test
  void shouldReportOneMessageOfABatchAndReadTheOthers() throws IOException {
    log.open();
    log.publish(2).batch(5).publish(2);
    long offset = log.offsets(1).get(2);
    LogFixture.flip(log.block(1), offset + 4 + 32 + 2 * (8 + 1 + 2) + 9, 1);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 4);
    shouldMeetDamage(reader, 4, 1);
    reader.moveTo(5);
    shouldRead(reader, 5, 9);
  }

  @Test
  void shouldNameThePlaceOfDamageThatItMetOnItsWay() throws IOException {
    log.open();
    log.publish(2).batch(5).publish(2);
    long second = log.offsets(1).get(2) + 4 + 32 + (8 + 1 + 2) + 4; // its length
    LogFixture.write(log.block(1), second, LogFixture.littleEndian(1 << 20));
    LogReader reader = log.reader();
    shouldRead(reader, 0, 3);
    reader.moveTo(5);
    shouldMeetDamage(reader, 5, 1);
    reader.moveTo(7);
    shouldRead(reader, 7, 9);
  }

  @Test
  void shouldReportAFlippedByteAfterAReopening() throws IOException {
    log.recycleAt(10).open();
    log.publish(25);
    LogFixture.flip(log.block(1), log.offsets(1).get(4) + 4 + 32 + 9, 1);
    LogFixture.flip(log.block(3), log.offsets(3).get(2) + 4 + 32 + 9, 1);
    assertThat(log.reopen().nextSequence()).isEqualTo(25);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 4);
    shouldMeetDamage(reader, 4, 1);
    reader.moveTo(5);
    shouldRead(reader, 5, 22);
    shouldMeetDamage(reader, 22, 3);
    reader.moveTo(23);
    shouldRead(reader, 23, 25);
    log.publish(10);
    shouldRead(reader, 25, 35);
  }

  @Test
  void shouldNeverTakeAZeroedPageForTheEnd() throws IOException {
    log.open();
    log.publish(2_000);
    List<Long> offsets = log.offsets(1);
    long page = (offsets.get(700) + 4095) & -4096;
    LogFixture.write(log.block(1), page, new byte[4096]);
    int first = 0;
    while (offsets.get(first + 1) <= page) {
      first++;
    }
    LogReader reader = log.reader();
    int read = 0;
    while (read < first) {
      reader.next();
      read++;
    }
    for (int call = 0; call < 3; call++) {
      if (reader.position() == first) {
        try {
          reader.next(); // a header may stand just before the page, with all of its document
        } catch (DamagedException e) {
          assertThat(e).hasMessageContaining("sequence " + first + ":");
        }
      }
    }
    shouldMeetDamage(reader, reader.position(), 1);
  }

  @Test
  void shouldReportAForeignBlock() throws IOException {
    log.recycleAt(10).open();
    log.publish(35);
    log.shut();
    Files.copy(log.block(2), log.block(3), StandardCopyOption.REPLACE_EXISTING);
    log.open();
    LogReader reader = log.reader();
    shouldRead(reader, 0, 20);
    assertThatThrownBy(reader::next).hasMessageContaining("sequence 20: damaged");
    assertThat(log.files()).contains("b00000003.cq4.damaged");
    reader.moveTo(30);
    shouldRead(reader, 30, 35);
  }

  @Test
  void shouldReportABlockFileThatIsCutShort() throws IOException {
    log.recycleAt(10).open();
    log.publish(35);
    log.shut();
    long cut = log.offsets(2).get(5) + 7;
    byte[] whole = Files.readAllBytes(log.block(2));
    Files.write(log.block(2), Arrays.copyOf(whole, (int) cut));
    log.open();
    LogReader reader = log.reader();
    shouldRead(reader, 0, 15);
    assertThatThrownBy(reader::next).hasMessageContaining("sequence 15: damaged");
    reader.moveTo(20);
    shouldRead(reader, 20, 35);
  }

  private static void cut(Path block, long size) throws IOException {
    try (FileChannel file = FileChannel.open(block, StandardOpenOption.WRITE)) {
      file.truncate(size);
    }
  }

  /** The JVM tells of a page that is gone late and anywhere; it must be told here, as damage. */
  @Test
  void shouldReportABlockFileThatIsCutUnderAReader() throws IOException {
    log.recycleAt(2_000).open();
    log.publish(2_010);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 10);
    long cut = (log.offsets(1).get(1_000) + 4095) & -4096;
    int first = Math.toIntExact(log.offsets(1).stream().filter(at -> at < cut).count()) - 1;
    cut(log.block(1), cut);
    shouldRead(reader, 10, first);
    reader.moveTo(first + 1);
    shouldMeetDamage(reader, first + 1, 1);
    for (int call = 0; call < 20_000; call++) { // until it is compiled
      if (call % 50 == 0) {
        cut(log.block(1), cut); // the mapping has grown it
      }
      reader.moveTo(first + 1 + call % 500);
      assertThatThrownBy(reader::next).isInstanceOf(DamagedMessageException.class);
    }
    reader.moveTo(2_000);
    shouldRead(reader, 2_000, 2_010);
  }

  /**
   * Every bit of a run of documents, Chronicle's own headers included: the bytes come out right or
   * the damage is told, but nothing wrong is delivered, nothing ends early, and the JVM lives.
   */
  @Test
  void shouldDeliverNothingWrongWhateverBitIsFlipped() throws IOException {
    log.recycleAt(12).open();
    log.publish(4).batch(3).publish(5).publish(3);
    List<Long> offsets = log.offsets(1);
    long from = offsets.get(2);
    long to = offsets.get(5);
    int damages = 0;
    for (long offset = from; offset < to; offset++) {
      for (int bit = 0; bit < 8; bit++) {
        LogFixture.flip(log.block(1), offset, 1 << bit);
        if (readsWithDamage(15)) {
          damages++;
        }
        LogFixture.flip(log.block(1), offset, 1 << bit);
      }
    }
    assertThat(damages).isGreaterThan((int) (to - from) * 7); // all but padding
    shouldRead(log.reader(), 0, 15);
  }

  private boolean readsWithDamage(long end) {
    boolean damage = false;
    try (LogReader reader = log.reader()) {
      for (long sequence = 0; sequence < end; sequence++) {
        reader.moveTo(sequence);
        try {
          StoredMessage message = reader.next();
          assertThat(message).as("sequence %s", sequence).isNotNull();
          assertThat(message.sequence()).isEqualTo(sequence);
          assertThat(text(message)).isEqualTo("m" + sequence);
        } catch (DamagedException e) {
          damage = true;
        }
      }
    }
    return damage;
  }

  private void delayed(int messages) {
    Terms terms = new Terms(null, 0, 1_000_000);
    for (int i = 0; i < messages; i++) {
      log.message(terms);
    }
  }

  @Test
  void shouldPassOverDelayedMessagesUpToAPlainOne() {
    log.recycleAt(10).open();
    log.publish(2);
    delayed(30);
    log.publish(1);
    delayed(5);
    LogReader reader = log.reader();
    assertThat(reader.passHidden(100)).isZero();
    shouldRead(reader, 0, 2);
    assertThat(reader.passHidden(7)).isEqualTo(9);
    assertThat(reader.passHidden(100)).isEqualTo(32);
    assertThat(reader.passHidden(100)).isEqualTo(32);
    shouldRead(reader, 32, 33);
    assertThat(reader.passHidden(100)).isEqualTo(38);
    assertThat(reader.next()).isNull();
    log.publish(1);
    shouldRead(reader, 38, 39);
  }

  @Test
  void shouldNotPassOverADamagedDelayedMessage() throws IOException {
    log.recycleAt(10).open();
    delayed(25);
    LogFixture.flip(log.block(2), log.offsets(2).get(3) + 4 + 32 + 10, 0x10);
    LogReader reader = log.reader();
    assertThat(reader.passHidden(100)).isEqualTo(13);
    shouldMeetDamage(reader, 13, 2);
    reader.moveTo(14);
    assertThat(reader.passHidden(100)).isEqualTo(25);
  }

  @Test
  void shouldNotTakeAPlainMessageForADelayedOneThatDamageMadeOfIt() throws IOException {
    log.open();
    log.publish(3);
    LogFixture.flip(log.block(1), log.offsets(1).get(1) + 4 + 32 + 8, DELAY);
    LogReader reader = log.reader();
    shouldRead(reader, 0, 1);
    assertThat(reader.passHidden(100)).isEqualTo(1);
    shouldMeetDamage(reader, 1, 1);
  }
}
