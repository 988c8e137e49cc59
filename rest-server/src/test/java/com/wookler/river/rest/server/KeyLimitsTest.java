package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.KeyLimits;
import com.wookler.river.rest.server.hosting.KeyLimits.Rate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What keys may do in a second, and until when. */
@Timeout(120)
class KeyLimitsTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final List<String> NONE = List.of();
  private static final List<String> ALL = List.of("*");
  private static final String MESSAGES = "/v1/queues/orders/messages";
  private static final String BATCH = "/v1/queues/orders/publish-batch";
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private KeyFile file;
  private String admin;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    file = new KeyFile(directory.resolve("keys.json"));
    admin = file.add("admin", NONE, NONE, ALL, NONE).text();
  }

  private String add(String name, KeyLimits limits) {
    return file.add(name, ALL, ALL, NONE, NONE, limits).text();
  }

  private void serve() {
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("data"))
            .keys(file.path())
            .timeSource(time)
            .start();
    asked = new Asked(server);
    with(admin, "PUT", "/v1/queues/orders", "");
    with(admin, "PUT", BILLING, "");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private Asked.Reply with(String key, String method, String path, String body) {
    return asked.send(method, path, body, "Authorization", "Bearer " + key);
  }

  private void shouldWait(Asked.Reply refused, int seconds) {
    assertThat(refused.status()).as(refused.body()).isEqualTo(429);
    assertThat(refused.problem()).isEqualTo("too-many-requests");
    assertThat(refused.header("Retry-After")).isEqualTo(String.valueOf(seconds));
  }

  private static String batch(int count) {
    String message = "{\"data\":\"x\"}";
    return "{\"messages\":[" + (message + ",").repeat(count - 1) + message + "]}";
  }

  private long stored(String queue) {
    Asked.Reply shown = with(admin, "GET", "/v1/queues/" + queue, "");
    return shown.json().at("/stats/nextSequence").asLong();
  }

  @Test
  void shouldHoldAKeyToItsRequestsASecond() {
    String shop = add("shop", new KeyLimits(null, new Rate(2, 3), null));
    serve();
    for (int i = 0; i < 3; i++) {
      assertThat(with(shop, "GET", BILLING, "").status()).isEqualTo(200);
    }
    Asked.Reply refused = with(shop, "GET", BILLING, "");
    shouldWait(refused, 1);
    assertThat(refused.json().get("detail").asText())
        .isEqualTo("the key shop may have 2 requests a second, 3 at once");
    shouldWait(with(shop, "POST", MESSAGES, "x"), 1);
    assertThat(with(admin, "GET", BILLING, "").status()).isEqualTo(200);
    assertThat(stored("orders")).isZero();

    time.advance(Duration.ofSeconds(1));
    assertThat(with(shop, "DELETE", "/v1/queues/orders", "").status()).isEqualTo(403); // counts
    assertThat(with(shop, "GET", BILLING, "").status()).isEqualTo(200);
    shouldWait(with(shop, "GET", BILLING, ""), 1);
  }

  /** Else messages that were processed would be delivered again. */
  @Test
  void shouldAcknowledgeOverTheLimitAndHaveWhatFollowsWait() {
    String shop = add("shop", new KeyLimits(null, new Rate(2, 2), null));
    serve();
    for (int i = 0; i < 4; i++) {
      assertThat(with(admin, "POST", MESSAGES, "x").status()).isEqualTo(201);
    }
    List<String> receipts = with(shop, "POST", BILLING + "/deliveries?max=4", "").receipts();
    for (String receipt : receipts) {
      String body = "{\"receipts\":[\"" + receipt + "\"]}";
      assertThat(with(shop, "POST", BILLING + "/ack", body).status()).isEqualTo(200);
    }
    assertThat(with(admin, "GET", BILLING, "").json().at("/stats/acked").asInt()).isEqualTo(4);
    shouldWait(
        with(shop, "POST", BILLING + "/deliveries", ""), 2); // 5 of 2 are used, at 2 a second
    time.advance(Duration.ofSeconds(2));
    assertThat(with(shop, "POST", BILLING + "/deliveries", "").status()).isEqualTo(200);
  }

  /** Else a token would be used up by a request that is refused. */
  @Test
  void shouldCountATokenWhereItIsMadeAndNotWhereItIsUsed() {
    String shop = add("shop", new KeyLimits(null, new Rate(1, 1), null));
    serve();
    Asked.Reply made = with(shop, "POST", BILLING + "/stream-tokens", "");
    String stream = BILLING + "/stream?token=" + made.json().get("token").asText();
    shouldWait(with(shop, "POST", BILLING + "/stream-tokens", ""), 1);
    assertThat(asked.send("HEAD", stream, "").status()).isEqualTo(200);
    assertThat(asked.send("HEAD", stream, "").status()).isEqualTo(200);
    time.advance(Duration.ofSeconds(1));
    assertThat(with(shop, "GET", BILLING, "").status()).isEqualTo(200);
  }

  @Test
  void shouldHoldAKeyToTheMessagesASecondThatItPublishes() {
    String shop = add("shop", new KeyLimits(null, null, new Rate(10, null)));
    serve();
    assertThat(with(shop, "POST", BATCH, batch(8)).status()).isEqualTo(201);
    shouldWait(with(shop, "POST", BATCH, batch(3)), 1);
    assertThat(with(shop, "POST", MESSAGES, "x").status()).isEqualTo(201);
    assertThat(with(shop, "PUT", MESSAGES + "/0", "y").status()).isEqualTo(200);
    shouldWait(with(shop, "PUT", MESSAGES + "/0", "y"), 1);
    shouldWait(with(shop, "POST", MESSAGES, "x"), 1);
    with(admin, "PUT", "/v1/queues/parcels", "");
    String receipt = with(shop, "POST", BILLING + "/deliveries", "").receipts().get(0);
    String continued = BILLING + "/ack-and-publish?to=parcels&receipt=" + receipt;
    shouldWait(with(shop, "POST", continued, batch(1)), 1);
    assertThat(stored("parcels")).isZero();

    time.advance(Duration.ofSeconds(1));
    assertThat(with(shop, "POST", continued, batch(10)).status()).isEqualTo(200);
    assertThat(stored("parcels")).isEqualTo(10);
  }

  /** Else it could never be published. */
  @Test
  void shouldAdmitABatchAboveTheBurstAndHaveWhatFollowsWait() {
    String shop = add("shop", new KeyLimits(null, null, new Rate(10, 5)));
    serve();
    assertThat(with(shop, "POST", MESSAGES, "x").status()).isEqualTo(201);
    shouldWait(with(shop, "POST", BATCH, batch(40)), 1);
    time.advance(Duration.ofSeconds(1));
    assertThat(with(shop, "POST", BATCH, batch(40)).status()).isEqualTo(201);
    shouldWait(with(shop, "POST", MESSAGES, "x"), 4); // 40 - 5 + 1 at 10 a second
    time.advance(Duration.ofSeconds(4));
    assertThat(with(shop, "POST", MESSAGES, "x").status()).isEqualTo(201);
  }

  @Test
  void shouldTakeUpOtherLimitsAndKeepWhatIsUsedOfTheSame() throws IOException {
    String shop = add("shop", new KeyLimits(null, new Rate(1, 2), null));
    add("other", KeyLimits.NONE);
    serve();
    with(shop, "GET", BILLING, "");
    with(shop, "GET", BILLING, "");
    shouldWait(with(shop, "GET", BILLING, ""), 1);
    file.revoke("other");
    String late = add("late", KeyLimits.NONE);
    await().until(() -> with(late, "GET", BILLING, "").status() == 200);
    shouldWait(with(shop, "GET", BILLING, ""), 1);

    Files.writeString(
        file.path(), Files.readString(file.path()).replace("\"burst\":2", "\"burst\":9"));
    await().until(() -> with(shop, "GET", BILLING, "").status() == 200);
  }

  @Test
  void shouldKeepWhatIsUsedOfARateWhereAnotherLimitChanges() throws IOException {
    String end = START.plus(Duration.ofDays(1)).toString();
    String shop = add("shop", new KeyLimits(end, new Rate(1, 2), new Rate(5, 1)));
    serve();
    assertThat(with(shop, "POST", MESSAGES, "x").status()).isEqualTo(201);
    shouldWait(with(shop, "POST", MESSAGES, "x"), 1);
    shouldWait(with(shop, "GET", BILLING, ""), 1);

    String other = START.plus(Duration.ofDays(2)).toString();
    String limits = Files.readString(file.path());
    Files.writeString(
        file.path(), limits.replace(end, other).replace("\"burst\":1", "\"burst\":3"));
    String late = add("late", KeyLimits.NONE); // known with what was changed before
    await().until(() -> with(late, "GET", BILLING, "").status() == 200);
    shouldWait(with(shop, "GET", BILLING, ""), 1);
    time.advance(Duration.ofSeconds(1));
    assertThat(with(shop, "POST", BATCH, batch(3)).status()).isEqualTo(201);
  }

  @Test
  void shouldKnowAKeyUntilItExpires() {
    Instant end = START.plus(Duration.ofSeconds(20));
    String guest = add("guest", new KeyLimits(end.toString(), null, null));
    serve();
    CompletableFuture<HttpResponse<String>> stream =
        Asked.client()
            .sendAsync(
                asked.request("POST", BILLING + "/stream", "", "Authorization", "Bearer " + guest),
                HttpResponse.BodyHandlers.ofString());
    var poll =
        asked.later(
            "POST", BILLING + "/deliveries?wait=60s", "", "Authorization", "Bearer " + guest);
    await().until(() -> server.waiting() == 2);
    time.advance(Duration.ofSeconds(20).minusMillis(1));
    assertThat(with(guest, "GET", BILLING, "").status()).isEqualTo(200);

    time.advance(Duration.ofMillis(1));
    Asked.Reply refused = with(guest, "GET", BILLING, "");
    assertThat(refused.status()).isEqualTo(401);
    assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer");
    assertThat(refused.json().get("detail").asText())
        .isEqualTo("the key guest has expired at " + end + "; ask for a new one");
    assertThat(stream.join().body()).isBlank();
    assertThat(poll.join().problem()).isEqualTo("unauthorized");
    String wrong = guest.substring(0, guest.length() - 4) + "AAAA";
    assertThat(with(wrong, "GET", BILLING, "").json().get("detail").asText())
        .isEqualTo("the key is unknown"); // also that it has expired is only its owner's to know
  }

  @Test
  void shouldNotReadLimitsThatAreNone() throws IOException {
    add("shop", new KeyLimits("2027-01-01T00:00:00Z", new Rate(1, 2), null));
    String good = Files.readString(file.path());
    for (String wrong :
        List.of(
            good.replace("\"perSecond\":1", "\"perSecond\":0"),
            good.replace("\"burst\":2", "\"burst\":1000001"),
            good.replace("2027-01-01T00:00:00Z", "2027"),
            good.replace("\"requests\"", "\"request\""))) {
      Files.writeString(file.path(), wrong);
      assertThatThrownBy(file::keys)
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("keys.json: keys.1.limits.");
    }
    assertThat(good).contains("\"limits\":{}"); // of the other key
  }
}
