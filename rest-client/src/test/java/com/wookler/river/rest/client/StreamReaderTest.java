package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamReaderTest {
  private static final ScriptedServer.Act ONE_MESSAGE =
      ScriptedServer.answer(
          200, "{\"sequence\":0,\"receipt\":\"r0\",\"attempt\":1,\"data\":\"a\"}\n");

  @Test
  void shouldEndWhereItsHandlerClosesTheClientWhileManyStepsWait() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.silence());
        RiverClient client = RiverClient.builder(server.address()).build()) {
      server.then(ONE_MESSAGE);
      RemoteSubscriber subscriber = client.subscriber("q", "s");
      Runnable close = client::close; // within its own action
      AtomicReference<StreamReader> reader = new AtomicReference<>();
      CompletableFuture<Void> start = new CompletableFuture<>();
      reader.set(
          new StreamReader(
              subscriber,
              subscriber.caller().servers().get(0),
              1,
              delivery -> {
                start.join();
                for (int i = 0; i < 100; i++) {
                  var unused = reader.get().stop();
                }
                reader.get().cancel();
                close.run();
              }));
      CompletableFuture<Void> ended = reader.get().start();
      start.complete(null);
      ended.get(30, TimeUnit.SECONDS);
      assertThat(server.requests).hasSize(1);
    }
  }
}
