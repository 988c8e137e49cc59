package com.wookler.river.core.log.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.message.DocumentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.TailerDirection;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written in place is what Chronicle would have written, and Chronicle reads it. */
@Timeout(120)
class InPlaceAppenderTest {
  private static final long CHUNK_BYTES = 64 << 20;
  private static final int PER_INDEX = ChronicleHeader.ENTRIES * ChronicleHeader.SPACING;
  private static final byte[] START = "start of a block".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path directory;
  private Path ours;
  private Path theirs;
  private final DocumentWriter document = new DocumentWriter();
  private final AppendSource source = new AppendSource(document);

  @BeforeAll
  static void ready() {
    BlockStore.requireJvm();
  }

  @BeforeEach
  void directories() throws IOException {
    ours = Files.createDirectory(directory.resolve("ours"));
    theirs = Files.createDirectory(directory.resolve("theirs"));
  }

  private BlockStore open(int block) {
    return BlockStore.open(ours, number -> BlockName.data(ours, number), block, CHUNK_BYTES);
  }

  private static SingleChronicleQueue queue(Path of, int block) {
    return SingleChronicleQueueBuilder.binary(of)
        .rollCycle(new BlockRollCycle(block))
        .epoch(BlockRollCycle.EPOCH)
        .blockSize(CHUNK_BYTES)
        .build();
  }

  /** Builds the document of this number, whose length and bytes follow from it. */
  private AppendSource document(int number) {
    byte[] data = new byte[number % 61];
    Arrays.fill(data, (byte) number);
    return document(data);
  }

  private AppendSource document(byte[] data) {
    document.start();
    document.add(data, null, Map.of());
    document.memory().putInt(0, data.length); // what a stamp would write
    return source;
  }

  private void append(BlockStore to, int from, int end) {
    for (int i = from; i < end; i++) {
      to.append(document(i));
    }
  }

  private static byte[] head(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer read = ByteBuffer.allocate(Math.toIntExact(bytes));
      while (read.hasRemaining() && channel.read(read, read.position()) > 0) {}
      assertThat(read.remaining()).isZero();
      return read.array();
    }
  }

  /** An index begins at a multiple of 8 or between two, and its entries follow at once or not. */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 4", "4, 0", "4, 4"})
  void shouldWriteWhatChronicleWouldByteForByteOverSeveralIndexes(int second, int third)
      throws IOException {
    byte[] start = Arrays.copyOf(START, START.length + second);
    int later = PER_INDEX + 10; // after the second index, before the third
    int documents = 2 * PER_INDEX + 100;
    long end;
    try (BlockStore store = open(1)) {
      store.startBlock(1, start);
      append(store, 0, 10);
    }
    try (BlockStore store = open(1)) { // continues in it
      append(store, 10, later);
      store.append(document(new byte[100 + third]));
      append(store, later + 1, documents);
      end = store.position();
    }
    try (SingleChronicleQueue queue = queue(theirs, 1);
        ExcerptAppender appender = queue.createAppender()) {
      try (DocumentContext context = appender.writingDocument(true)) {
        context.wire().bytes().write(start);
      }
      for (int i = 0; i < documents; i++) {
        appender.writeBytes((i == later ? document(new byte[100 + third]) : document(i)).bytes());
      }
    }
    byte[] written = head(BlockName.data(ours, 1), end + DocumentHeader.BYTES);
    assertThat(written).isEqualTo(head(BlockName.data(theirs, 1), end + DocumentHeader.BYTES));
    ByteBuffer file = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(file.getLong(ChronicleHeader.INDEX2INDEX + 8) % 8).isEqualTo(second);
    assertThat(file.getLong(ChronicleHeader.INDEX2INDEX + 16) % 8).isEqualTo(4 - third);
  }

  @Test
  void shouldLetChroniclesTailerReadEveryBlockByScanAndByIndex() {
    int documents = PER_INDEX + 1_000;
    try (BlockStore store = open(1)) {
      for (int block = 1; block <= 3; block++) {
        store.startBlock(block, START);
        append(store, 0, documents);
      }
      shouldRead(ours, documents); // also while it is open, the last block without an end mark
    }
    shouldRead(ours, documents);
  }

  private void shouldRead(Path of, int documents) {
    try (SingleChronicleQueue queue = queue(of, 3);
        ExcerptTailer tailer = queue.createTailer()) {
      for (int block = 1; block <= 3; block++) {
        for (int i = 0; i < documents; i++) {
          assertThat(tailer.index())
              .isIn(index(queue, block, i), index(queue, block - 1, documents));
          shouldRead(tailer, i);
        }
      }
      assertThat(tailer.readBytes(Bytes.allocateElasticOnHeap())).isFalse();
      for (int block = 1; block <= 3; block++) {
        for (int i : List.of(0, 1, 15, 16, 17, 4_095, PER_INDEX - 1, PER_INDEX, documents - 1)) {
          assertThat(tailer.moveToIndex(index(queue, block, i))).isTrue();
          shouldRead(tailer, i);
        }
      }
      assertThat(tailer.toEnd().index()).isEqualTo(index(queue, 3, documents));
      assertThat(queue.lastIndex()).isEqualTo(index(queue, 3, documents - 1));
      tailer.direction(TailerDirection.BACKWARD).toEnd();
      for (int i = documents - 1; i >= documents - 40; i--) {
        shouldRead(tailer, i);
      }
    }
  }

  private static long index(SingleChronicleQueue queue, int block, long ordinal) {
    return queue.rollCycle().toIndex(block, ordinal);
  }

  private void shouldRead(ExcerptTailer tailer, int number) {
    Bytes<?> read = Bytes.allocateElasticOnHeap(256);
    assertThat(tailer.readBytes(read)).isTrue();
    AppendSource expected = document(number);
    assertThat(read.readRemaining()).isEqualTo(expected.length());
    assertThat(read.contentEquals(expected.bytes())).isTrue();
  }

  /** Copies the files as they are, which is what a kill of the process leaves of them. */
  private Path killed(String name) throws IOException {
    Path copy = Files.createDirectory(directory.resolve(name));
    try (var files = Files.list(ours)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  @Test
  void shouldLeaveWhatChronicleReadsAndContinuesAfterAKillAtAnyDocument() throws IOException {
    try (BlockStore store = open(1)) {
      store.startBlock(1, START);
      Set<Integer> kills = new HashSet<>(List.of(1, 2, 16, 17, 18));
      new Random(14).ints(8, 19, 200).forEach(kills::add);
      for (int i = 0; i < 200; i++) {
        if (kills.contains(i)) {
          shouldContinue(killed("killed" + i), i);
        }
        store.append(document(i));
      }
    }
  }

  private void shouldContinue(Path copy, int documents) {
    try (SingleChronicleQueue queue = queue(copy, 1);
        ExcerptAppender appender = queue.createAppender()) {
      appender.writeBytes(document(documents).bytes());
      assertThat(appender.lastIndexAppended()).isEqualTo(index(queue, 1, documents));
      try (ExcerptTailer tailer = queue.createTailer()) {
        for (int i = 0; i <= documents; i++) {
          shouldRead(tailer, i);
        }
      }
    }
  }

  /** The last copy of a large document is cut in the middle, as a kill may do it. */
  @Test
  void shouldShowChronicleAnUnfinishedDocumentAsNone() throws IOException {
    long end;
    try (BlockStore store = open(1)) {
      store.startBlock(1, START);
      append(store, 0, 20);
      end = store.position();
    }
    ByteBuffer torn = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
    torn.putInt(DocumentHeader.unfinished(1_000)).putLong(-1);
    try (FileChannel file = FileChannel.open(BlockName.data(ours, 1), StandardOpenOption.WRITE)) {
      file.write(torn.rewind(), end);
    }
    try (SingleChronicleQueue queue = queue(ours, 1);
        ExcerptTailer tailer = queue.createTailer()) {
      for (int i = 0; i < 20; i++) {
        shouldRead(tailer, i);
      }
      assertThat(tailer.readBytes(Bytes.allocateElasticOnHeap())).isFalse();
    }
  }

  @Test
  void shouldAppendDocumentsThatFillTheMapping() throws IOException {
    byte[] large = new byte[(int) (CHUNK_BYTES / 4) - 1_000];
    try (BlockStore store = open(1)) {
      store.startBlock(1, START);
      for (int i = 0; i < 5; i++) { // the last ends beyond the chunk
        Arrays.fill(large, (byte) i);
        store.append(document(large));
      }
      append(store, 0, 3);
      try (SingleChronicleQueue queue = queue(ours, 1);
          ExcerptTailer tailer = queue.createTailer()) {
        Bytes<?> read = Bytes.allocateElasticOnHeap(large.length + 1_000);
        for (int i = 0; i < 5; i++) {
          read.clear();
          assertThat(tailer.readBytes(read)).isTrue();
          assertThat(read.readByte(read.readLimit() - 1)).isEqualTo((byte) i);
        }
        for (int i = 0; i < 3; i++) {
          shouldRead(tailer, i);
        }
      }
    }
  }
}
