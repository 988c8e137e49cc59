package com.wookler.river.rest.server.memcache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How commands are read out of bytes. */
@Timeout(60)
class RequestParserTest {
  private static final String BYTES = "sget 019 /t=\r\n\0\377noreply";

  private final RequestParser parser = new RequestParser(1_000);

  private List<Request> all(String bytes) {
    parser.feed(Buffer.buffer(bytes, "ISO-8859-1"));
    return rest();
  }

  private List<Request> rest() {
    List<Request> all = new ArrayList<>();
    for (Request next = parser.next(); next != null; next = parser.next()) {
      all.add(next);
      if (next.fault()) {
        break;
      }
    }
    return all;
  }

  private static String text(Request request) {
    byte[] data = request.data();
    return request.verb()
        + request.arguments()
        + (data == null ? "" : new String(data, ISO_8859_1))
        + (request.noreply() ? "!" : "");
  }

  @Test
  void shouldReadLinesHoweverTheyEnd() {
    assertThat(all("STATS\r\nget  a/t=5 \nversion\r\n").stream().map(RequestParserTest::text))
        .containsExactly("stats[]", "get[a/t=5]", "version[]");
  }

  @Test
  void shouldTakeDataThatLooksLikeAnAnswer() {
    assertThat(all("set a 0 0 9\r\nEND\r\nget \r\nget a\r\n").stream().map(RequestParserTest::text))
        .containsExactly("set[a, 0, 0, 9]END\r\nget ", "get[a]");
  }

  @Test
  void shouldIgnoreATrailingBlankAndHonourNoreply() {
    assertThat(
            all("set a 16 0 1 \r\nx\r\nset a 0 0 1 noreply\r\ny\r\n").stream()
                .map(RequestParserTest::text))
        .containsExactly("set[a, 16, 0, 1]x", "set[a, 0, 0, 1]y!");
  }

  @Test
  void shouldPassOverDataThatIsTooLarge() {
    assertThat(all("set a 0 0 1001\r\n" + "x".repeat(600))).isEmpty();
    assertThat(parser.size()).isLessThan(2_000);
    List<Request> all = all("x".repeat(401) + "\r\nget a\r\n");
    assertThat(all.get(0).data()).isNull();
    assertThat(text(all.get(1))).isEqualTo("get[a]");
  }

  @Test
  void shouldRefuseWhatHasNoLengthAndLinesWithoutEnd() {
    assertThat(all("set a 0 0 many\r\n")).containsExactly(Request.FAULT);
    assertThat(new RequestParser(10).next()).isNull();
    RequestParser other = new RequestParser(10);
    other.feed(Buffer.buffer("g".repeat(RequestParser.LINE_BYTES + 2)));
    assertThat(other.next()).isSameAs(Request.FAULT);
  }

  @Test
  void shouldNoticeTheBinaryProtocol() {
    parser.feed(Buffer.buffer(new byte[] {(byte) 0x80, 0x0b}));
    assertThat(parser.isBinary()).isTrue();
  }

  @Test
  void shouldReadTheSameHoweverBytesAreSplit() {
    Random random = new Random(7);
    for (int round = 0; round < 500; round++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        if (random.nextBoolean()) {
          byte[] data = new byte[random.nextInt(50)];
          random.nextBytes(data);
          bytes.writeBytes(("set q 0 0 " + data.length + "\r\n").getBytes(ISO_8859_1));
          bytes.writeBytes(data);
          bytes.writeBytes("\r\n".getBytes(ISO_8859_1));
          expected.add("set[q, 0, 0, " + data.length + "]" + new String(data, ISO_8859_1));
        } else {
          bytes.writeBytes(("get q" + i + "\r\n").getBytes(ISO_8859_1));
          expected.add("get[q" + i + "]");
        }
      }
      RequestParser split = new RequestParser(100);
      List<String> found = new ArrayList<>();
      byte[] whole = bytes.toByteArray();
      for (int at = 0; at < whole.length; ) {
        int count = Math.min(whole.length - at, 1 + random.nextInt(30));
        split.feed(Buffer.buffer().appendBytes(whole, at, count));
        at += count;
        for (Request next = split.next(); next != null; next = split.next()) {
          found.add(text(next));
        }
      }
      assertThat(found).as("round " + round).isEqualTo(expected);
    }
  }

  @Test
  void shouldNeverThrowOrGrowOnRandomBytes() {
    Random random = new Random(11);
    for (int round = 0; round < 2_000; round++) {
      RequestParser any = new RequestParser(100);
      for (int i = 0; i < 50; i++) {
        byte[] bytes = new byte[random.nextInt(60)];
        for (int at = 0; at < bytes.length; at++) {
          bytes[at] = (byte) BYTES.charAt(random.nextInt(BYTES.length()));
        }
        any.feed(Buffer.buffer(bytes));
        for (Request next = any.next(); next != null; next = any.next()) {
          if (next.fault()) {
            any = new RequestParser(100);
          }
        }
        assertThat(any.size()).isLessThan(3 * RequestParser.LINE_BYTES);
      }
    }
  }
}
