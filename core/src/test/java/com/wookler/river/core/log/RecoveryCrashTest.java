package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.littleEndian;
import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checksum;
import com.wookler.river.common.file.Device;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A recovery that dies behind each of its changes: the next one must come to the same end. */
@Timeout(120)
class RecoveryCrashTest {
  private static final int UNFINISHED = 0x8000_0000;

  @TempDir Path directory;

  /** What somebody or something did to a closed log of 35 messages in 4 blocks. */
  @FunctionalInterface
  private interface Damage {
    void to(LogFixture log) throws IOException;
  }

  /** Dies behind so many changes. */
  private static final class Dying implements Device {
    private int left;

    Dying(int changes) {
      this.left = changes;
    }

    @Override
    public void repaired(Path file) throws IOException {
      if (--left == 0) {
        throw new IOException("died behind the change of " + file);
      }
    }
  }

  private static final Map<String, Damage> DAMAGES = new TreeMap<>();

  static {
    DAMAGES.put(
        "torn end",
        log -> LogFixture.write(log.block(4), log.end(4), littleEndian(UNFINISHED | 100)));
    DAMAGES.put(
        "zeroed tail",
        log -> LogFixture.write(log.block(4), log.offsets(4).get(2), new byte[4096]));
    DAMAGES.put(
        "hole",
        log -> {
          long from = log.offsets(4).get(1);
          LogFixture.write(log.block(4), from, new byte[(int) (log.offsets(4).get(3) - from)]);
        });
    DAMAGES.put(
        "no header",
        log -> {
          LogFixture.write(log.block(2), 0, new byte[4]);
          LogFixture.write(log.block(4), 0, new byte[4]);
        });
    DAMAGES.put(
        "swapped",
        log -> {
          Path aside = log.block(1).resolveSibling("aside");
          Files.move(log.block(1), aside);
          Files.move(log.block(4), log.block(1));
          Files.move(aside, log.block(4));
        });
    DAMAGES.put(
        "missing and cut",
        log -> {
          Files.delete(log.block(2));
          byte[] whole = Files.readAllBytes(log.block(3));
          int length = Math.toIntExact(log.offsets(3).get(5));
          Files.write(log.block(3), Arrays.copyOf(whole, length));
          Files.write(log.block(9).resolveSibling("b00000009.precreated"), new byte[100]);
        });
    DAMAGES.put(
        "no seals, unreadable end",
        log -> {
          for (int i = 1; i <= 3; i++) {
            Files.delete(log.seal(i));
          }
          LogFixture.flip(log.block(4), log.offsets(4).get(4) + 4 + 10, 1);
        });
    DAMAGES.put("active missing", log -> Files.delete(log.block(4)));
    DAMAGES.put(
        "torn by a power loss",
        log -> {
          unforce(log);
          long at = log.offsets(4).get(1);
          long behind = log.offsets(4).get(2);
          LogFixture.write(log.block(4), at, new byte[(int) (behind - at)]);
          LogFixture.flip(log.block(4), log.offsets(4).get(0) + 4 + 42, 1);
        });
    DAMAGES.put(
        "header",
        log -> {
          LogFixture.flip(log.block(2), 85, 4);
          LogFixture.flip(log.block(4), 85, 4);
        });
  }

  /** As if nothing was forced but what has a seal. */
  private static void unforce(LogFixture log) throws IOException {
    long seed = Checksum.mix(Checksum.mix(LogFixture.IDENTITY.getMostSignificantBits()) ^ 4096);
    seed = Checksum.mix(seed ^ LogFixture.IDENTITY.getLeastSignificantBits());
    ByteBuffer slots = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
    long check = Checksum.mix(seed);
    slots.putLong(8, check).putLong(72, check);
    LogFixture.write(log.block(1).resolveSibling(LogMarks.NAME), 4096, slots.array());
  }

  private LogFixture damaged(String name, Damage damage) throws IOException {
    LogFixture log = new LogFixture(Files.createDirectory(directory.resolve(name))).recycleAt(10);
    log.open();
    log.publish(35);
    log.shut();
    damage.to(log);
    return log;
  }

  /** What a log delivers, and what it has lost. */
  private static List<String> content(LogFixture log) {
    BlockLog opened = log.open();
    List<String> content = new ArrayList<>();
    LogReader reader = log.reader();
    for (long sequence = 0; sequence < opened.nextSequence(); sequence++) {
      reader.moveTo(sequence);
      try {
        StoredMessage message = reader.next();
        content.add(message.sequence() + " " + text(message));
      } catch (DamagedException e) {
        content.add(sequence + (opened.gaps().endOf(sequence) > sequence ? " lost" : " damaged"));
      }
    }
    for (Gaps.Gap gap : opened.gaps().all()) {
      content.add("gap " + gap.first() + " to " + gap.end() + " damaged " + gap.damaged());
    }
    return content;
  }

  @Tag("full")
  @Test
  void shouldComeToTheSameEndWhereverItDies() throws IOException {
    for (Map.Entry<String, Damage> each : DAMAGES.entrySet()) {
      List<String> expected;
      try (LogFixture log = damaged(each.getKey(), each.getValue())) {
        expected = content(log);
      }
      boolean died = true;
      int changes = 0;
      for (int i = 1; died; i++) {
        String name = each.getKey() + " " + i;
        try (LogFixture log = damaged(name, each.getValue())) {
          died = dies(log, i);
          changes += died ? 1 : 0;
          log.device(Device.REAL);
          assertThat(content(log)).as("dead behind change %s of %s", i, name).isEqualTo(expected);
          log.publish(3);
          assertThat(log.reopen().nextSequence()).isEqualTo(38);
        }
      }
      assertThat(changes).as(each.getKey()).isPositive();
    }
  }

  private static boolean dies(LogFixture log, int changes) {
    try {
      log.device(new Dying(changes)).open();
      log.shut();
      return false;
    } catch (RiverException e) {
      assertThat(e).hasRootCauseInstanceOf(IOException.class);
      return true;
    }
  }

  /** The files of a log may be copied at any time while it opens, as a kill leaves them. */
  @Test
  void shouldTakeUpWhatEachChangeLeaves() throws IOException {
    List<Path> copies = new ArrayList<>();
    Device copying =
        new Device() {
          @Override
          public void repaired(Path file) throws IOException {
            Path copy = Files.createDirectory(directory.resolve("copy " + copies.size()));
            try (Stream<Path> files = Files.list(directory.resolve("log"))) {
              for (Path each : files.toList()) {
                Files.copy(each, copy.resolve(each.getFileName()));
              }
            }
            copies.add(copy);
          }
        };
    List<String> expected;
    try (LogFixture log = damaged("log", DAMAGES.get("hole"))) {
      expected = content(log.device(copying));
    }
    assertThat(copies).hasSizeGreaterThan(3);
    for (Path copy : copies) {
      try (LogFixture log = new LogFixture(copy).recycleAt(10)) {
        assertThat(content(log)).as("%s", copy).isEqualTo(expected);
      }
    }
  }
}
