package com.wookler.river.core.log.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each block is mapped once, by no descriptor, and not for longer than it is of use. */
class ReadMappingsTest {
  private static final Path MAPS = Path.of("/proc/self/maps");
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int BYTES = 1 << 20;

  @TempDir Path directory;

  private ReadMappings mappings;

  @BeforeEach
  void open() {
    assumeThat(MAPS).as("a list of this process's mappings").isReadable();
    BlockStore.requireJvm();
    mappings = new ReadMappings(this::file, BYTES);
  }

  @AfterEach
  void close() throws IOException {
    mappings.close();
    assertThat(mapped()).isEmpty();
  }

  @Test
  void shouldMapABlockOnceForAllReaders() throws IOException {
    write(1);
    BlockWindow first = mappings.window(1);
    BlockWindow second = mappings.window(1);
    assertThat(mapped()).hasSize(1);
    assertThat(descriptors()).isEmpty();
    first.close();
    assertThat(second.intAt(BYTES - 4)).isEqualTo(1);
    second.close();
  }

  @Test
  void shouldMapThoughTheThreadIsInterrupted() throws IOException {
    write(1);
    Thread.currentThread().interrupt();
    try (BlockWindow window = mappings.window(1)) {
      assertThat(window.intAt(BYTES - 4)).isEqualTo(1);
    } finally {
      assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    }
  }

  @Test
  void shouldKeepTheBlocksThatWereUsedLast() throws IOException {
    int blocks = 3 * ReadMappings.KEPT;
    for (int block = 1; block <= blocks; block++) {
      write(block);
      mappings.window(block).close();
    }
    assertThat(mapped()).hasSize(ReadMappings.KEPT);
    assertThat(mapped()).anyMatch(line -> line.endsWith(file(blocks).toString()));
    assertThat(mapped()).noneMatch(line -> line.endsWith(file(1).toString()));
  }

  @Test
  void shouldNotEndWhatIsRead() throws IOException {
    List<BlockWindow> windows = new ArrayList<>();
    for (int block = 1; block <= 3 * ReadMappings.KEPT; block++) {
      write(block);
      windows.add(mappings.window(block));
    }
    look(2 * ReadMappings.LOOKS);
    for (BlockWindow window : windows) {
      assertThat(window.intAt(BYTES - 4)).isEqualTo(window.block());
      window.close();
    }
  }

  @Test
  void shouldEndWhatNoReaderUsesAnyMore() throws IOException {
    write(1);
    mappings.window(1).close();
    look(ReadMappings.LOOKS - 1);
    assertThat(mapped()).hasSize(1);
    mappings.window(1).close(); // it counts from the last use
    look(ReadMappings.LOOKS - 1);
    assertThat(mapped()).hasSize(1);
    look(1);
    assertThat(mapped()).isEmpty();
  }

  @Test
  void shouldKeepNoSpaceOfARemovedBlock() throws IOException {
    write(1);
    mappings.window(1).close();
    mappings.remove(1);
    assertThat(mapped()).isEmpty();
    BlockWindow window = mappings.window(1);
    mappings.remove(1);
    mappings.remove(1);
    Files.delete(file(1));
    assertThat(window.intAt(BYTES - 4)).isEqualTo(1);
    window.close();
    assertThat(mapped()).isEmpty();
  }

  @Test
  void shouldRefuseWhatIsNoBlock() throws IOException {
    assertThatThrownBy(() -> mappings.window(1))
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("no file");
    Files.createFile(file(1));
    assertThatThrownBy(() -> mappings.window(1))
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("header");
    assertThat(descriptors()).isEmpty();
  }

  /** A window on what another thread has unmapped would end the process, or show other bytes. */
  @Test
  void shouldServeThreadsAtOnce() throws Exception {
    int blocks = 2 * ReadMappings.KEPT;
    for (int block = 1; block <= blocks; block++) {
      write(block);
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int seed = thread;
        running.add(threads.submit(() -> useAtRandom(blocks, new Random(seed))));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(mapped()).hasSizeLessThanOrEqualTo(ReadMappings.KEPT);
  }

  private @Nullable Void useAtRandom(int blocks, Random random) throws IOException {
    for (int i = 0; i < 5_000; i++) {
      int block = 1 + random.nextInt(blocks);
      try (BlockWindow window = mappings.window(block)) {
        switch (random.nextInt(8)) {
          case 0 -> mappings.remove(block);
          case 1 -> mappings.unmapIdle();
          default -> assertThat(window.has(0, BYTES)).isTrue();
        }
        assertThat(window.intAt(BYTES - 4)).isEqualTo(block);
      }
    }
    return null;
  }

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      mappings.unmapIdle();
    }
  }

  private Path file(int block) {
    return directory.resolve("b" + block);
  }

  /** Writes a block without documents, whose last bytes are its number. */
  private void write(int block) throws IOException {
    Files.write(file(block), ChronicleHeader.of(new long[0], 0, 0));
    try (var channel = Files.newByteChannel(file(block), StandardOpenOption.WRITE)) {
      channel.position(BYTES - 4);
      channel.write(ByteBuffer.wrap(new byte[] {(byte) block, 0, 0, 0}));
    }
  }

  private List<String> mapped() throws IOException {
    return Files.readAllLines(MAPS).stream()
        .filter(line -> line.contains(directory.toString()))
        .toList();
  }

  private List<Path> descriptors() throws IOException {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.filter(this::isOurs).toList();
    }
  }

  private boolean isOurs(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory);
    } catch (IOException e) {
      return false; // closed meanwhile, as the one that lists them
    }
  }
}
