package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of damage, damaged itself. */
class DamageLogTest {
  private static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private final CapturedLog captured = new CapturedLog(DamageLog.class);
  private DamageLog record;
  private Path file;

  @BeforeEach
  void make() throws IOException {
    record = new DamageLog(directory, "orders");
    file = directory.resolve("damage.log");
    record.add(damage(2, 13, 15), TIME);
    record.add(damage(7, 70, 71), TIME);
  }

  @AfterEach
  void close() {
    captured.close();
  }

  private Damage damage(int block, long first, long end) {
    return new Damage(block, directory.resolve("b0000000" + block + ".cq4"), first, end, 640, 720);
  }

  private static List<String> told(List<Damage> damages) {
    return damages.stream()
        .map(damage -> damage.block() + " " + damage.first() + " " + damage.end())
        .toList();
  }

  @Test
  void shouldKnowWhatItWasToldWhenItIsReadAgain() throws IOException {
    assertThat(told(record.read())).containsExactly("2 13 15", "7 70 71");
    assertThat(Files.readAllLines(file))
        .allSatisfy(line -> assertThat(line).matches("\\{.*\"first\":\\d+,.*,\"crc\":\".{8}\"}"));
    assertThat(captured.takeWarnings()).isEmpty();
  }

  @Test
  void shouldBelieveNoLineWithoutAChecksum() throws IOException {
    Files.writeString(file, Files.readString(file).replaceAll(",\"crc\":\"[^\"]*\"", ""));
    record.add(damage(8, 80, 81), TIME);
    assertThat(told(record.read())).containsExactly("8 80 81");
    assertThat(captured.takeWarnings()).singleElement().asString().contains("lines [1, 2]");
  }

  @Test
  void shouldBelieveNoLineWithAFlippedBitAndKeepIt() throws IOException {
    for (int at = 0; at < Files.size(file); at++) {
      shouldNotBelieve(at, at % Byte.SIZE);
    }
  }

  @Tag("full")
  @Test
  void shouldBelieveNoLineWhicheverBitIsFlipped() throws IOException {
    for (int at = 0; at < Files.size(file); at++) {
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        shouldNotBelieve(at, bit);
      }
    }
  }

  private void shouldNotBelieve(int at, int bit) throws IOException {
    byte[] whole = Files.readAllBytes(file);
    byte[] bytes = whole.clone();
    bytes[at] ^= (byte) (1 << bit);
    Files.write(file, bytes);
    assertThat(told(record.read()))
        .as("bit %s of byte %s", bit, at)
        .hasSizeLessThan(2)
        .isSubsetOf("2 13 15", "7 70 71");
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("orders", "damaged: lines [", file.toString());
    assertThat(file).hasBinaryContent(bytes);
    Files.write(file, whole);
  }
}
