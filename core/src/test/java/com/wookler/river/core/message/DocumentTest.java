package com.wookler.river.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is written into a document comes out of it, or the damage is told. */
class DocumentTest {
  private static final UUID QUEUE = UUID.fromString("6f2c1f5e-3c1a-4a54-9a36-9d6a3a1d2f10");
  private static final int BLOCK = 7;

  /** A message to be written. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its parts only
  record Content(
      byte[] data, @Nullable String key, Map<String, byte[]> headers, @Nullable Terms terms) {
    Content(byte[] data, @Nullable String key, Map<String, byte[]> headers) {
      this(data, key, headers, null);
    }
  }

  private final DocumentWriter writer = new DocumentWriter();
  private final Stamp stamp = new Stamp(QUEUE);
  private long digest;

  private byte[] write(List<Content> contents, long first, long micros) {
    writer.start();
    for (Content content : contents) {
      writer.add(content.data(), content.key(), content.headers(), content.terms());
    }
    digest = stamp.stamp(writer, BLOCK, first, micros);
    byte[] bytes = new byte[writer.length()];
    writer.memory().get(0, bytes);
    return bytes;
  }

  private static DocumentReader reader(byte[] document) {
    DocumentReader reader = new DocumentReader(QUEUE);
    reader.open(document, document.length, BLOCK);
    return reader;
  }

  private static void shouldEqual(StoredMessage message, Content content) {
    assertThat(message.data()).isEqualTo(content.data());
    assertThat(message.key()).isEqualTo(content.key());
    assertThat(message.terms()).isEqualTo(content.terms());
    assertThat(message.headers().keySet()).containsExactlyElementsOf(content.headers().keySet());
    message
        .headers()
        .forEach((name, value) -> assertThat(value).isEqualTo(content.headers().get(name)));
  }

  @Provide
  Arbitrary<Content> contents() {
    Arbitrary<byte[]> data =
        Arbitraries.frequencyOf(
            Tuple.of(20, Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(60)),
            Tuple.of(1, Arbitraries.integers().between(0, 300_000).map(DocumentTest::random)));
    Arbitrary<String> text = Arbitraries.strings().ofMaxLength(20);
    Arbitrary<Map<String, byte[]>> headers =
        Arbitraries.maps(text, Arbitraries.bytes().array(byte[].class).ofMaxSize(20)).ofMaxSize(4);
    Arbitrary<Long> micros = Arbitraries.longs().between(0, Long.MAX_VALUE);
    Arbitrary<Terms> terms =
        Combinators.combine(text.injectNull(0.3), micros, micros)
            .as(Terms::new)
            .filter(made -> made.id() != null || made.expiryMicros() + made.delayMicros() != 0);
    return Combinators.combine(data, text.injectNull(0.4), headers, terms.injectNull(0.6))
        .as(Content::new);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Property(tries = 300)
  void shouldComeOutAsWritten(
      @ForAll @Size(min = 1, max = 12) List<@From("contents") Content> contents,
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE - 20) long first,
      @ForAll @LongRange(min = 0) long micros,
      @ForAll @IntRange(max = 12) int skipped) {
    byte[] document = write(contents, first, micros);
    DocumentReader reader = reader(document);
    assertThat(reader.firstSequence()).isEqualTo(first);
    assertThat(reader.count()).isEqualTo(contents.size());
    assertThat(reader.micros()).isEqualTo(micros);
    for (int i = 0; i < contents.size(); i++) {
      assertThat(reader.hasNext()).isTrue();
      assertThat(reader.nextSequence()).isEqualTo(first + i);
      if (i < skipped) {
        reader.skip();
        continue;
      }
      StoredMessage message = reader.next();
      assertThat(message.sequence()).isEqualTo(first + i);
      assertThat(message.publishedMicros()).isEqualTo(micros);
      shouldEqual(message, contents.get(i));
    }
    assertThat(reader.hasNext()).isFalse();
    assertThat(reader(document).verify()).isEqualTo(digest);
  }

  private static List<Content> some() {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    headers.put("trace", "a1".getBytes(StandardCharsets.UTF_8));
    headers.put("", new byte[0]);
    return List.of(
        new Content("first".getBytes(StandardCharsets.UTF_8), "key", headers),
        new Content(new byte[0], null, Map.of(), new Terms("id", 5, 7)),
        new Content(new byte[] {0, 0, 0, 0}, "", Map.of()));
  }

  @Test
  void shouldDetectEveryFlippedBit() {
    List<Content> contents = some();
    byte[] document = write(contents, 42, 1_000);
    for (int bit = 0; bit < document.length * 8; bit++) {
      byte[] flipped = document.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(damaged(flipped, contents)).as("bit %s", bit).isTrue();
      assertThatThrownBy(() -> reader(flipped).verify())
          .as("bit %s", bit)
          .isInstanceOf(DamagedMessageException.class);
    }
  }

  /** Reads all there is; whatever comes out must be right. */
  private static boolean damaged(byte[] document, List<Content> contents) {
    DocumentReader reader;
    try {
      reader = reader(document);
    } catch (DamagedException e) {
      return true;
    }
    boolean damaged = false;
    while (reader.hasNext()) {
      int i = (int) (reader.nextSequence() - 42);
      try {
        shouldEqual(reader.next(), contents.get(i));
      } catch (DamagedException e) {
        damaged = true;
      }
    }
    return damaged;
  }

  @Test
  void shouldReadTheMessagesBesideADamagedOne() {
    List<Content> contents = some();
    byte[] document = write(contents, 42, 1_000);
    document[DocumentFormat.HEADER_BYTES + 8 + 3] ^= 1;
    DocumentReader reader = reader(document);
    assertThatThrownBy(reader::next)
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("sequence 42");
    shouldEqual(reader.next(), contents.get(1));
    shouldEqual(reader.next(), contents.get(2));
  }

  @Test
  void shouldDetectEveryTruncation() {
    byte[] document = write(some(), 42, 1_000);
    for (int length = 0; length < document.length; length++) {
      byte[] cut = Arrays.copyOf(document, length);
      assertThatThrownBy(() -> reader(cut)).isInstanceOf(DamagedMessageException.class);
    }
    byte[] longer = Arrays.copyOf(document, document.length + 1);
    assertThatThrownBy(() -> reader(longer)).isInstanceOf(DamagedMessageException.class);
  }

  @Test
  void shouldRefuseADocumentOfAnotherQueueOrBlock() {
    byte[] document = write(some(), 42, 1_000);
    assertThatThrownBy(
            () -> new DocumentReader(new UUID(1, 2)).open(document, document.length, BLOCK))
        .isInstanceOf(DamagedMessageException.class);
    assertThatThrownBy(() -> new DocumentReader(QUEUE).open(document, document.length, BLOCK + 1))
        .isInstanceOf(DamagedMessageException.class);
  }

  /** What an entry with everything looks like; if this changes, the format has. */
  @Test
  void shouldStayAsItIs() {
    byte[] data = "data".getBytes(StandardCharsets.UTF_8);
    Map<String, byte[]> headers = Map.of("h", new byte[] {9});
    byte[] document = write(List.of(new Content(data, "k", headers, new Terms("i", 2, 3))), 5, 6);
    assertThat(HexFormat.of().formatHex(document))
        .isEqualTo(
            "520100004e5a2a480500000000000000060000000000000001000000"
                + "2d000000ecd80201250000001f01006b0100010068010000000901006902000000000000"
                + "00030000000000000064617461");
  }

  @Test
  void shouldSayOfADueCopyWhatItIsMadeOf() {
    Terms delayed = new Terms("id", 7_000, 9_000);
    StoredMessage message = new StoredMessage(5, 6, new byte[] {1}, "k", Map.of(), delayed);
    assertThat(Terms.isDelayed(delayed)).isTrue();
    Terms terms = Terms.ofReenqueued(message);
    byte[] document = write(List.of(new Content(new byte[] {1}, "k", Map.of(), terms)), 42, 10_000);
    StoredMessage copy = reader(document).next();
    assertThat(copy.sequence()).isEqualTo(42);
    assertThat(copy.originalSequence()).isEqualTo(5);
    assertThat(copy.originalMicros()).isEqualTo(6);
    assertThat(copy.publishedMicros()).isEqualTo(10_000);
    assertThat(copy.terms()).isEqualTo(new Terms("id", 7_000, 0, new Terms.Origin(5, 6)));
    assertThat(Terms.isDelayed(copy.terms())).isFalse();
    assertThat(terms.expiresAt(Terms.publishedMicros(terms, 10_000))).isEqualTo(7_006);
  }

  @Test
  void shouldRefuseFlagsOfANewerFormatAndNotCallItDamage() {
    Content unknown = new Content(new byte[] {1}, null, Map.of());
    Content known = new Content(new byte[] {2}, null, Map.of());
    byte[] document = write(List.of(unknown, known), 42, 1_000);
    int content = DocumentFormat.HEADER_BYTES + DocumentFormat.ENTRY_PREFIX_BYTES;
    document[content] = (byte) 128;
    CRC32C crc = new CRC32C();
    crc.update(document, content, 2);
    DocumentFormat.INT.set(
        document, DocumentFormat.HEADER_BYTES, DocumentFormat.entryCheck((int) crc.getValue(), 2));
    DocumentReader reader = reader(document);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(RiverException.class)
          .isNotInstanceOf(DamagedMessageException.class)
          .hasMessageContaining("sequence 42")
          .hasMessageContaining("0x80")
          .hasMessageContaining("newer");
    }
    reader.skip();
    shouldEqual(reader.next(), known);
  }

  @Test
  void shouldNotTakeZerosForADocument() {
    assertThatThrownBy(() -> reader(new byte[100])).isInstanceOf(DamagedMessageException.class);
  }

  @Test
  void shouldRefuseKeysAndHeadersOverTheirLimits() {
    String longest = "k".repeat(65_535);
    Content fits = new Content(new byte[1], longest, Map.of(longest, new byte[1]));
    shouldEqual(reader(write(List.of(fits), 0, 0)).next(), fits);
    String tooLong = longest + "k";
    writer.start();
    assertThatThrownBy(() -> writer.add(new byte[1], tooLong, Map.of()))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("key");
    writer.start();
    assertThatThrownBy(() -> writer.add(new byte[1], null, Map.of(tooLong, new byte[1])))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("header");
    writer.start();
    assertThatThrownBy(() -> writer.add(new byte[1], null, Map.of(), new Terms(tooLong, 0, 0)))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("id");
    shouldGoOn();
  }

  @Test
  void shouldRefuseKeysAndHeadersThatHaveNoUtf8Form() {
    String half = "a\ud83d";
    writer.start();
    assertThatThrownBy(() -> writer.add(new byte[1], half, Map.of()))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("the key holds half a surrogate pair");
    writer.start();
    assertThatThrownBy(() -> writer.add(new byte[1], null, Map.of(half, new byte[1])))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("the header name holds half a surrogate pair");
    Content fits = new Content(new byte[1], half + "\ude00?", Map.of("?", new byte[1]));
    shouldEqual(reader(write(List.of(fits), 0, 0)).next(), fits);
    shouldGoOn();
  }

  private void shouldGoOn() {
    Content after = new Content(new byte[] {5}, "key", Map.of());
    shouldEqual(reader(write(List.of(after), 9, 9)).next(), after);
  }
}
