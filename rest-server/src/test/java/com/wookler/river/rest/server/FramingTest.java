package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests as bytes: what another server in front of this one could understand in another way is
 * refused, and answered.
 */
@Timeout(120)
class FramingTest extends ServerFixture {
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";

  private static final String POST = "POST /v1/queues/orders/messages HTTP/1.1";
  private static final String SECOND = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** A head with {@code |} between its lines. */
  private String post(String lines, String body) {
    String head = POST + "\r\n" + lines.replace("|", "\r\n") + "\r\n\r\n";
    return asked.raw(head + body);
  }

  private void assertRefused(String answer) {
    assertThat(answer)
        .containsPattern("^HTTP/1\\.[01] 400 ")
        .contains("application/problem+json", "urn:river:problem:bad-request")
        .doesNotContain("HTTP/1.1 200", "HTTP/1.1 201");
    assertThat(asked.get("/v1/queues").json().get("queues")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5|Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked|Content-Length: 5",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked|Transfer-Encoding: gzip",
        "Transfer-Encoding: gzip|Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked|Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding:",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding:\u000bchunked",
        "Content-Length: 5|Content-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: +5",
        "Content-Length: 0x5",
        "Content-Length: 5 5"
      })
  void shouldRefuseABodyWhoseEndIsNotClear(String lines) {
    assertRefused(post("Host: localhost|" + lines, "0\r\n\r\n" + SECOND));
  }

  @Test
  void shouldRefuseAnEncodedBodyOfAnOlderProtocol() {
    assertRefused(
        asked.raw(
            "POST /v1/queues/orders/messages HTTP/1.0\r\nHost: localhost\r\n".concat(CHUNKED)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1\r\nx\r\n0\r\n\r\n",
        "1;name=value\r\nx\r\n0\r\n\r\n",
        "1;name=\"a;b\"\r\nx\r\n0;last\r\n\r\n",
        "1 ; name\r\nx\r\n0\r\n\r\n",
        "01\r\nx\r\n000\r\n\r\n",
        "1\r\nx\r\n0\r\nX-Trailer: 1\r\n\r\n"
      })
  void shouldAcceptChunks(String chunks) {
    String answer = post("Host: localhost|Transfer-Encoding: chunked|Connection: close", chunks);

    assertThat(answer).startsWith("HTTP/1.1 201 ");
    assertThat(asked.get("/v1/queues/orders/messages/0").json().get("data").asText())
        .isEqualTo("x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x\r\n",
        "-1\r\nx\r\n0\r\n\r\n",
        "\r\nx\r\n0\r\n\r\n",
        "1\r\nxy\r\n0\r\n\r\n",
        "1\nx\n0\n\n",
        "1;a\nb\r\nx\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\nx"
      })
  void shouldAnswerChunksThatAreWrong(String chunks) {
    assertRefused(post("Host: localhost|Transfer-Encoding: chunked", chunks));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: localhost|Host: localhost",
        "Host: localhost|Host: attacker.example",
        "Host: attacker.example|Host: localhost",
        "Host: localhost, attacker.example",
        "Host: localhost|Content-Type: a/b|Content-Type: a/c",
        "Host: localhost|Authorization: Bearer a|Authorization: Bearer b",
        "Host: localhost|Origin: http://localhost|Origin: http://localhost",
        "Host: localhost|River-Key: a|River-Key: b",
        "Host: localhost|River-Id: a|River-Id: a",
        "Host: localhost|River-Delay: 1s|River-Delay: 2s",
        "Host: localhost|River-Expires: 1s|River-Expires: 2s",
        "Host: localhost|River-Header-Type: a|river-header-type: b",
        "Host: localhost|Expect: 100-continue|Expect: 100-continue"
      })
  void shouldRefuseAHeaderThatIsThereTwice(String lines) {
    String answer = post(lines + "|Content-Length: 1|Connection: close", "x");
    assertThat(answer).containsPattern("^HTTP/1\\.1 4(00|21) ");
    if (lines.split("(?i)host:", -1).length == 3 || !lines.contains("Host: localhost,")) {
      assertRefused(answer);
    }
  }

  @Test
  void shouldCombineTheLinesOfAList() {
    assertThat(
            asked.raw(
                Asked.head(
                    "GET /v1/queues HTTP/1.1",
                    "Host: localhost",
                    "Accept: text/plain",
                    "Accept: application/json",
                    "Connection: close")))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void shouldReadTheHostOfAnAbsoluteTarget() {
    assertThat(target("http://localhost/health/live", "localhost")).startsWith("HTTP/1.1 200 ");
    assertThat(target("HTTP://127.0.0.1:8080/health/live", "127.0.0.1:8080"))
        .startsWith("HTTP/1.1 200 ");
    assertThat(target("http://attacker.example/v1/queues", "localhost"))
        .containsPattern("^HTTP/1.1 4(00|21) ");
    assertThat(target("http://localhost/v1/queues", "attacker.example"))
        .containsPattern("^HTTP/1.1 4(00|21) ");
    assertThat(target("http://localhost:81/v1/queues", "localhost:82"))
        .containsPattern("^HTTP/1.1 400 ");
    assertThat(target("http://user@localhost/v1/queues", "localhost"))
        .containsPattern("^HTTP/1.1 400 ");
    assertThat(target("ftp://localhost/v1/queues", "localhost")).containsPattern("^HTTP/1.1 400 ");
    assertThat(target("http:///v1/queues", "localhost")).containsPattern("^HTTP/1.1 400 ");
    assertThat(target("//localhost/v1/queues", "localhost")).containsPattern("^HTTP/1.1 404 ");
    assertThat(target("*", "localhost")).containsPattern("^HTTP/1.1 400 ");
    assertThat(target("v1/queues", "localhost")).containsPattern("^HTTP/1.1 400 ");
  }

  private String target(String target, String host) {
    return asked.raw(
        Asked.head("GET " + target + " HTTP/1.1", "Host: " + host, "Connection: close"));
  }

  @Test
  void shouldAnswerWhatIsNoRequest() {
    for (String request :
        List.of(
            "GET /health/live\r\n\r\n",
            "GET /health/live HTTP/1.1\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost:\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX Y: 1\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: a\u0000b\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n")) {
      String closing = request.replaceFirst("\r\n", "\r\nConnection: close\r\n");
      assertThat(asked.raw(closing)).as(request).containsPattern("^HTTP/1\\.[01] 400 ");
    }
  }

  @Test
  void shouldAnswerTheRequestsOfAConnectionInTheirOrder() {
    String answers =
        asked.raw(
            SECOND
                + SECOND
                + SECOND.replace("live", "none")
                + Asked.head("GET /v1/queues HTTP/1.1", "Host: localhost", "Connection: close"));
    assertThat(Stream.of(answers.split("(?=HTTP/1.1 )", -1)).map(answer -> answer.substring(9, 12)))
        .containsExactly("200", "200", "404", "200");
  }
}
