package com.wookler.river.rest.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that are cancelled. */
@Timeout(120)
class AsyncCallTest {
  private static final Duration WHILE = Duration.ofMillis(300);

  private static Transport transport(ScriptedServer server) {
    Duration quiteLong = Duration.ofMinutes(10);
    return new Transport(
        Servers.of(List.of(server.address())),
        new Transport.Settings(null, quiteLong, quiteLong, quiteLong, quiteLong, null));
  }

  /**
   * Cancels the call when the head of its second attempt's response has arrived, before it ends.
   */
  private static AsyncCall.Sender cancelling(
      Transport transport, CompletableFuture<CompletableFuture<Response>> call) {
    return (server, request, handler) -> {
      CompletableFuture<Integer> status = new CompletableFuture<>();
      CompletableFuture<HttpResponse<byte[]>> sent =
          transport.attempt(
              server,
              request,
              head -> {
                HttpResponse.BodySubscriber<byte[]> body = handler.apply(head);
                status.complete(head.statusCode());
                return body;
              });
      if (status.join() == 200) {
        call.join().cancel(true);
      }
      return sent;
    };
  }

  @Test
  void shouldReadAResponseWhoseHeadArrivedBeforeTheCallWasCancelled() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (request, socket) -> {
                  socket
                      .getOutputStream()
                      .write("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\no".getBytes(US_ASCII));
                  Thread.sleep(WHILE.toMillis());
                  socket.getOutputStream().write('k');
                });
        Transport transport = transport(server)) {
      server.then(ScriptedServer.problem(503, "unavailable"));
      CompletableFuture<CompletableFuture<Response>> call = new CompletableFuture<>();
      CompletableFuture<Response> unclaimed = new CompletableFuture<>();
      AsyncCall async =
          new AsyncCall(
              transport, cancelling(transport, call), Request.post("/polls"), unclaimed::complete);
      CompletableFuture<Response> result = async.run();
      call.complete(result);
      assertThat(unclaimed.get(30, TimeUnit.SECONDS).text()).isEqualTo("ok");
      assertThat(result).isCancelled();
      assertThat(server.requests).hasSize(2);
    }
  }

  /** Answers as a server did before, so that the JDK's client references nothing of the call. */
  private static AsyncCall.Sender replaying(Transport transport) {
    CompletableFuture<HttpResponse.ResponseInfo> head = new CompletableFuture<>();
    HttpResponse<byte[]> response =
        transport
            .attempt(
                transport.servers().next(),
                Request.post("/polls"),
                info -> {
                  head.complete(info);
                  return HttpResponse.BodySubscribers.ofByteArray();
                })
            .join();
    return (server, request, handler) -> {
      var unused = handler.apply(head.join());
      return CompletableFuture.completedFuture(response);
    };
  }

  private static WeakReference<Consumer<Response>> cancelledInAPause(Transport transport) {
    List<Response> all = new ArrayList<>();
    Consumer<Response> unclaimed = all::add;
    CompletableFuture<Response> call =
        new AsyncCall(transport, replaying(transport), Request.post("/polls"), unclaimed).run();
    await().during(WHILE).until(() -> !call.isDone());
    call.cancel(true);
    return new WeakReference<>(unclaimed);
  }

  @Test
  void shouldKeepNothingOfACallThatIsCancelledInAPause() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(ScriptedServer.problem(503, "unavailable", "Retry-After", "300"));
        Transport transport = transport(server)) {
      WeakReference<Consumer<Response>> call = cancelledInAPause(transport);
      await()
          .untilAsserted(
              () -> {
                System.gc();
                assertThat(call.get()).isNull();
              });
    }
  }
}
